/** Decides which variables of the gateway's environment a tool gets. */

/** Variables that make a program load or run something, or that belong to the gateway alone. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  `PATH ENV BASH_ENV SHELLOPTS BASHOPTS IFS PS4 PROMPT_COMMAND CDPATH GLOBIGNORE
  NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_EXTERNAL_MODULE
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHONUSERBASE PYTHONWARNINGS
  PERL5LIB PERLLIB PERL5OPT PERL5DB RUBYOPT RUBYLIB GEM_PATH GEM_HOME BUNDLE_GEMFILE LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR
  JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS R_PROFILE R_ENVIRON RUSTC_WRAPPER
  GCONV_PATH LOCPATH NLSPATH HOSTALIASES GLIBC_TUNABLES OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES TERMINFO
  EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE TAR_OPTIONS GZIP_OPT WGETRC CURL_HOME
  ANTHROPIC_API_KEY OPENAI_API_KEY OPENROUTER_API_KEY TELEGRAM_BOT_TOKEN TURNWISE_TOKEN TURNWISE_CALL`.split(/\s+/),
)

const FORBIDDEN_BEGINNINGS = ['LD_', 'DYLD_', 'MALLOC_', 'GIT_', 'BASH_FUNC_', 'NPM_CONFIG_']

/** Every tool gets these if they are set. Its PATH is the one its binary was found on. */
const ALWAYS = ['HOME', 'LANG', 'LC_ALL', 'TZ'] as const

/** Tools get none of our own variables, except the one that tells our own binary where its workspace is. */
const OWN_BEGINNING = 'TURNWISE_'
const WORKSPACE = 'TURNWISE_HOME'

/** The variable that marks the processes of a call, even after they left its process group. */
export const MARKER = 'TURNWISE_CALL'

/** True if every tool gets this variable. */
export const isBaseVariable = (name: string): boolean => name === 'PATH' || ALWAYS.some(each => each === name)

/** True if only Turnwise itself reads this variable. */
export const isOwnVariable = (name: string): boolean => name.toUpperCase().startsWith(OWN_BEGINNING)

/** Why a skill may not ask for a variable of this name. */
export function whyNoVariable(name: string): string | undefined {
  if (!/^[A-Za-z_]\w{0,127}$/.test(name)) return `${JSON.stringify(name)} is not the name of a variable`
  const upper = name.toUpperCase()
  const isForbidden = FORBIDDEN.has(upper) || FORBIDDEN_BEGINNINGS.some(beginning => upper.startsWith(beginning))
  return isForbidden ? `${name} is never given to a tool` : undefined
}

/** What decides which variables one tool gets. */
export type Granting = {
  /** Names of variables that the operator grants this tool. */
  readonly granted: readonly string[]
  /** True if the tool runs our own binary, which must find this workspace. */
  readonly isOurs: boolean
  readonly path: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The environment of a tool: a few harmless variables, and those that the operator grants. */
export function environmentFor({ granted, isOurs, path, environment }: Granting): Readonly<Record<string, string>> {
  const allowed = granted.filter(name => whyNoVariable(name) === undefined && !isOwnVariable(name))
  const given = [...ALWAYS, ...allowed, ...(isOurs ? [WORKSPACE] : [])].flatMap(name => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(given), PATH: path }
}

/** The variables that a skill asks for and its tool does not get. */
export const notGranted = (
  asked: readonly string[],
  { granted, isOurs }: Pick<Granting, 'granted' | 'isOurs'>,
): readonly string[] => asked.filter(name => !isBaseVariable(name) && !granted.includes(name) && !(isOurs && name === WORKSPACE))
