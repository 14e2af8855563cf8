// Tells which programs can run anything through their arguments alone.

/** Programs whose arguments can make them run another program, or write, remove or send any file. */
const NAMES: ReadonlySet<string> = new Set(
  `
  sh ash bash rbash dash zsh fish ksh mksh lksh oksh yash csh tcsh rc es elvish nu xonsh busybox toybox coreutils pwsh powershell cmd
  env xargs parallel find fd fdfind awk gawk mawk nawk original-awk busybox-awk sed gsed ed ex red sort split csplit m4 dc tee dd cp mv rm ln
  install chmod chown chgrp chattr setfacl truncate shred unlink rename mkfifo mknod mkfs fdisk parted mount umount losetup
  sudo sudoedit su doas pkexec runuser su-exec gosu nice ionice chrt taskset nohup timeout stdbuf setsid setpriv prlimit setarch
  linux32 linux64 i386 x86_64 numactl cpulimit time watch entr flock chroot fakeroot proot unshare nsenter bwrap firejail capsh runcon
  start-stop-daemon daemonize run-parts script scriptreplay screen tmux byobu dtach abduco expect unbuffer rlwrap socat
  at atd batch cron crontab anacron systemctl systemd-run systemd-nspawn journalctl loginctl machinectl service busctl
  dbus-run-session dbus-send gdbus launchctl osascript open xdg-open xdotool initctl reboot shutdown poweroff halt kill killall pkill
  git svn hg bzr cvs fossil jj gh
  ssh scp sftp rsync rclone mosh autossh sshpass ssh-keygen ssh-agent ssh-add ssh-copy-id nc ncat netcat telnet ftp tftp lftp
  curl wget wget2 aria2c http https httpie xh openssl gpg gpg2 tcpdump tshark ip iptables nft nmap rsh rlogin
  tar bsdtar star cpio pax ar zip unzip 7z 7za 7zr rar unrar zipx
  make gmake cmake ctest ninja meson bazel scons just rake ant mvn gradle sbt task nmake autoconf automake configure libtool
  npm npx npm-cli npx-cli pnpm pnpx yarn yarnpkg corepack node nodejs bun bunx deno tsx ts-node esbuild electron
  python pypy ipython jupyter pip pipx uv uvx poetry conda mamba perl perldoc cpan cpanm raku ruby irb erb gem bundle bundler
  php php-cgi php-fpm composer lua luajit texlua tclsh wish guile racket scheme sbcl clisp emacs emacsclient
  r rscript julia octave matlab gnuplot maxima erl escript elixir iex mix ocaml opam swift dotnet mono wine
  java javac jshell jar kotlin kotlinc scala groovy clojure clj lein go gofmt cargo rustc rustup rustdoc zig nim crystal ghc ghci runghc
  stack cabal gcc g++ cc c++ cpp clang clang++ tcc ld gold lld as nasm ldd ld.so
  strace ltrace gdb gdbserver lldb valgrind perf rr bpftrace
  vi vim view vimdiff rvim rview nvim nano pico joe mcedit micro less more most man info pager mail mailx mutt sendmail
  sqlite3 psql mysql mariadb mongo mongosh redis-cli duckdb
  docker dockerd podman buildah skopeo nerdctl ctr crictl kubectl helm k9s minikube lxc lxd incus runc crun vagrant qemu virsh
  ansible ansible-playbook terraform tofu packer pulumi salt puppet chef snap flatpak nix nix-shell nix-env guix brew port
  apt apt-get aptitude dpkg dpkg-deb rpm rpmbuild yum dnf zypper pacman apk emerge update-alternatives
  useradd usermod userdel passwd chpasswd visudo insmod modprobe kexec sysctl logrotate
  tex latex pdftex pdflatex xetex xelatex luatex lualatex latexmk ffmpeg convert magick mogrify gs ghostscript
  `
    .trim()
    .split(/\s+/),
)

/** Families of programs with too many members to list. */
const FAMILIES =
  /^(git-|python|pypy|perl|ld-linux|ld-musl|mkfs\.|qemu-|systemd-|ansible-|busybox)|-(gcc|g\+\+|cc|cpp|clang|ld|as|ar|awk)$/

/** True if a program of this name can run anything, so that only the operator may let a skill use it. */
export function canRunAnything(fileName: string): boolean {
  const name = fileName.toLowerCase().replace(/\.(exe|js|cjs|mjs)$/, '')
  const bare = name.replace(/[-.]?\d[\d.]*[a-z]?$/, '')
  const first = name.replace(/\..*$/, '')
  return [name, bare, first].some(form => NAMES.has(form) || FAMILIES.test(form))
}
