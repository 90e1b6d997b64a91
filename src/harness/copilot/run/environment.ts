/** Names that are passed on to a run as they are. */
const PASSED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy ' +
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR GH_TOKEN GITHUB_TOKEN GH_HOST USE_BUILTIN_RIPGREP'
  ).split(' '),
)
/** For the CLI and its model, the language and folders of the desktop. */
const PASSED_PREFIXES = ['COPILOT_', 'LC_', 'XDG_']

/** What the CLI gives to what it starts, what takes its questions away, and what would lead git elsewhere. */
const NEVER =
  /^(?:COPILOT_(?:AGENT_.*|CLI_.*|ALLOW_ALL|ASSISTED_APPROVAL|CUSTOM_INSTRUCTIONS_DIRS)|LODELINE_.*|GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY)|BASH_(?:ENV|FUNC_.*))$/

/** @see HarnessRun.mayPassOn */
export const mayPassOn = (name: string): boolean => name !== '' && !NEVER.test(name)

/** @see HarnessRun.runEnvironment */
export function runEnvironment(base: Record<string, string>, more: Record<string, string>): Record<string, string> {
  const isPassed = (name: string) => PASSED.has(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix))
  const passed = Object.entries(base).filter(([name]) => isPassed(name) && mayPassOn(name))
  const env = { ...Object.fromEntries(passed), ...more, COPILOT_AUTO_UPDATE: 'false' }
  return Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name)) ? { ...env, ...loopback(env) } : env
}

/** Lodeline on this machine is reached without the proxy. */
function loopback(env: Record<string, string>): Record<string, string> {
  const names = `${env.NO_PROXY ?? env.no_proxy ?? ''},127.0.0.1,localhost,::1`.split(',').filter((name) => name !== '')
  const text = [...new Set(names)].join(',')
  return { NO_PROXY: text, no_proxy: text }
}

/** @see HarnessRun.modelUrls */
export function modelUrls(env: Readonly<Record<string, string>>): string[] {
  const own = env.COPILOT_PROVIDER_BASE_URL
  if (own) return [own]
  const host = env.COPILOT_GH_HOST || env.GH_HOST || 'github.com'
  return [`https://${host}`, `https://api.${host}`, 'https://api.githubcopilot.com']
}
