/** Names that are passed on to a run as they are. */
const PASSED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy ' +
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR CODEX_HOME CODEX_API_KEY CODEX_CA_CERTIFICATE'
  ).split(' '),
)
/** For the model, the language and folders of the desktop. */
const PASSED_PREFIXES = ['OPENAI_', 'AZURE_OPENAI_', 'LC_', 'XDG_']

/** What the CLI gives to what it starts, and what would lead git elsewhere: a run is no part of another agent's session. */
const NEVER =
  /^(?:CODEX_(?:THREAD_ID|SESSION_ID|TOOL_CALL_ID|SANDBOX.*|MANAGED_.*|INTERNAL_.*)|LODELINE_.*|GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY)|BASH_(?:ENV|FUNC_.*))$/

/** @see HarnessRun.mayPassOn */
export const mayPassOn = (name: string): boolean => name !== '' && !NEVER.test(name)

/** @see HarnessRun.runEnvironment */
export function runEnvironment(base: Record<string, string>, more: Record<string, string>): Record<string, string> {
  const isPassed = (name: string) => PASSED.has(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix))
  const passed = Object.entries(base).filter(([name]) => isPassed(name) && mayPassOn(name))
  const env = { ...Object.fromEntries(passed), ...more }
  return Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name)) ? { ...env, ...loopback(env) } : env
}

/** Lodeline on this machine is reached without the proxy. */
function loopback(env: Record<string, string>): Record<string, string> {
  const names = `${env.NO_PROXY ?? env.no_proxy ?? ''},127.0.0.1,localhost,::1`.split(',').filter((name) => name !== '')
  const text = [...new Set(names)].join(',')
  return { NO_PROXY: text, no_proxy: text }
}
