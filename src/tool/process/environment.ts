/** Decides which variables of the gateway's environment a tool gets. */

/** Names that tell a program to load or run something, or that belong to the gateway alone. */
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

/** Every tool gets these, as far as they are set; PATH is the one its binary was found on. */
const ALWAYS = ['HOME', 'LANG', 'LC_ALL', 'TZ'] as const

/** Our own variables are ours alone, except the one that tells our own binary where its workspace is. */
const OWN_BEGINNING = 'TURNWISE_'
const WORKSPACE = 'TURNWISE_HOME'

/** The variable by which a process that left its group is still known. */
export const MARKER = 'TURNWISE_CALL'

/** Whether every tool gets this one. */
export const isBaseVariable = (name: string): boolean => name === 'PATH' || ALWAYS.some(each => each === name)

/** Whether only Turnwise itself reads this one. */
export const isOwnVariable = (name: string): boolean => name.toUpperCase().startsWith(OWN_BEGINNING)

/** Why a skill may not ask for a variable of this name. */
export function whyNoVariable(name: string): string | undefined {
  if (!/^[A-Za-z_]\w{0,127}$/.test(name)) return `${JSON.stringify(name)} is not the name of a variable`
  const upper = name.toUpperCase()
  const isForbidden = FORBIDDEN.has(upper) || FORBIDDEN_BEGINNINGS.some(beginning => upper.startsWith(beginning))
  return isForbidden ? `${name} is never given to a tool` : undefined
}

/** What decides about the variables of one tool. */
export type Granting = {
  /** Names that the operator gives to this tool. */
  readonly granted: readonly string[]
  /** Whether the tool runs our own binary, which has to find this workspace. */
  readonly isOurs: boolean
  readonly path: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** All that a tool sees of the gateway's environment: a few harmless names, and those that the operator gives it. */
export function environmentFor({ granted, isOurs, path, environment }: Granting): Readonly<Record<string, string>> {
  const allowed = granted.filter(name => whyNoVariable(name) === undefined && !isOwnVariable(name))
  const given = [...ALWAYS, ...allowed, ...(isOurs ? [WORKSPACE] : [])].flatMap(name => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(given), PATH: path }
}

/** Of the variables that a skill asks for, those that its tool does not get. */
export const notGranted = (
  asked: readonly string[],
  { granted, isOurs }: Pick<Granting, 'granted' | 'isOurs'>,
): readonly string[] => asked.filter(name => !isBaseVariable(name) && !granted.includes(name) && !(isOurs && name === WORKSPACE))
