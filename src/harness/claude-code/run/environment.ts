/** Names that are passed on to a run as they are. */
const PASSED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP IS_SANDBOX ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy ' +
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR CLAUDE_CONFIG_DIR MAX_THINKING_TOKENS ' +
    'DISABLE_TELEMETRY DISABLE_ERROR_REPORTING DISABLE_COST_WARNINGS DISABLE_PROMPT_CACHING DISABLE_AUTO_COMPACT ' +
    'DISABLE_COMPACT ENABLE_TOOL_SEARCH MAX_MCP_OUTPUT_TOKENS MCP_TIMEOUT MCP_TOOL_TIMEOUT ' +
    'MCP_CONNECTION_NONBLOCKING MCP_CONNECT_TIMEOUT_MS USE_BUILTIN_RIPGREP ' +
    'SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA USERPROFILE HOMEDRIVE HOMEPATH'
  ).split(' '),
)
/** Settings of the person: for the CLI and its model, the language, the CLI's shell, and folders of the desktop. */
const PASSED_PREFIXES = ['ANTHROPIC_', 'CLAUDE_CODE_', 'LC_', 'XDG_', 'BASH_']

/**
 * Keys to a cloud, by the variable that makes the CLI reach its model there. Without them the CLI could say nothing to its model; where
 * it reaches the model otherwise, a run has no use for them.
 */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  CLAUDE_CODE_USE_BEDROCK: ['AWS_'],
  CLAUDE_CODE_USE_VERTEX: ['GOOGLE_', 'GCLOUD_', 'VERTEX_', 'CLOUD_ML_'],
  CLAUDE_CODE_USE_FOUNDRY: ['AZURE_'],
}

/**
 * What the CLI gives to what it starts: a worker that was itself started by an agent would hand that agent's session on.
 * Also what makes a run keep no conversation, end by itself, or continue by itself.
 */
const NEVER =
  /^(?:CLAUDECODE|CLAUDE_PID|CLAUDE_PROJECT_DIR|CLAUDE_ENV_FILE|CLAUDE_EFFORT|CLAUDE_PLUGIN_.*|CLAUDE_SESSION_ID|AI_AGENT|LODELINE_.*|GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY)|BASH_(?:ENV|FUNC_.*)|CLAUDE_CODE_(?:SESSION_.*|CHILD_.*|ENTRYPOINT|EXECPATH|MESSAGING_.*|PARENT_.*|REMOTE_SESSION_ID|SSE_PORT|TASK_LIST_ID|AGENT_.*|TEAM_.*|RESUME_.*|EXIT_AFTER_.*|SIMPLE|SKIP_PROMPT_HISTORY|EMIT_SESSION_STATE_EVENTS|STARTUP_FAILURE_RESULTS))$/

/** Whether `name` may be passed on when a person lists it beside the names that always are. */
export function mayPassOn(name: string): boolean {
  return name !== '' && !NEVER.test(name)
}

/**
 * Environment of a run: of `base` what the CLI and its model's provider need, then `more` (what Lodeline gives this run), then what
 * makes the CLI tell when it is idle and stay the release that it is. Nothing of another agent's session.
 */
export function runEnvironment(base: Record<string, string>, more: Record<string, string>): Record<string, string> {
  const prefixes = [...PASSED_PREFIXES, ...providerPrefixes(base)]
  const isPassed = (name: string) => PASSED.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  const passed = Object.fromEntries(Object.entries(base).filter(([name]) => isPassed(name) && mayPassOn(name)))
  return {
    // Without it 2.1.328 offers new models no to-do tools (facts: To-dos); the person's own choice goes before it.
    CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
    // The time in milliseconds that a run waits for the tools of its finished task. By itself 2.1.197 waits 5 s: on a busy machine
    // its first request went out without them.
    MCP_CONNECTION_NONBLOCKING: '0',
    MCP_CONNECT_TIMEOUT_MS: '30000',
    ...passed,
    ...more,
    ...(hasProxy(passed) ? reachLoopback(passed) : {}),
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
    DISABLE_AUTOUPDATER: '1',
  }
}

/** Variables of the provider that the person chose in this environment. The CLI takes these words for no. */
const providerPrefixes = (base: Record<string, string>): string[] =>
  Object.entries(PROVIDERS).flatMap(([variable, prefixes]) =>
    /^(?:|0|false|no|off)$/i.test(base[variable] ?? '') ? [] : prefixes,
  )

const hasProxy = (env: Record<string, string>): boolean =>
  Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name))

/** Lodeline on this machine is reached without the proxy: the CLI would send even loopback requests to it. */
function reachLoopback(env: Record<string, string>): Record<string, string> {
  const listed = [env.NO_PROXY ?? env.no_proxy ?? '', '127.0.0.1', 'localhost', '::1']
  const text = [...new Set(listed.flatMap((names) => names.split(',')).filter((name) => name !== ''))].join(',')
  return { NO_PROXY: text, no_proxy: text }
}
