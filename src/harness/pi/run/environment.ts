/** Names that are passed on to a run as they are. */
const PASSED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ' +
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR ' +
    'PI_CODING_AGENT_DIR PI_PACKAGE_DIR PI_OFFLINE PI_TELEMETRY PI_CACHE_RETENTION ' +
    'SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA USERPROFILE HOMEDRIVE HOMEPATH'
  ).split(' '),
)
/** Settings of the person: the language, folders of the desktop. */
const PASSED_PREFIXES = ['LC_', 'XDG_']
/** Keys to the providers of models that the CLI knows. */
const KEY =
  /^(?:ANTHROPIC|ANT_LING|OPENAI|AZURE_OPENAI|DEEPSEEK|NVIDIA|GEMINI|GROQ|CEREBRAS|XAI|FIREWORKS|TOGETHER|BASETEN|OPENROUTER|AI_GATEWAY|ZAI|ZAI_CODING_CN|MISTRAL|MINIMAX|MOONSHOT|OPENCODE|KIMI|META|CLOUDFLARE|QWEN_TOKEN_PLAN|QWEN_TOKEN_PLAN_CN|XIAOMI|XIAOMI_TOKEN_PLAN_(?:CN|AMS|SGP))_(?:API_KEY|AUTH_TOKEN|OAUTH_TOKEN|BASE_URL|RESOURCE_NAME|API_VERSION|DEPLOYMENT_NAME_MAP|ACCOUNT_ID|GATEWAY_ID)$/

/**
 * What the CLI gives to what it starts: a worker that was itself started by an agent would hand that agent's session on. A folder for
 * sessions of the person's own would hide a run's from the record.
 */
const NEVER =
  /^(?:AI_AGENT|PI_CODING_AGENT|PI_CODING_AGENT_SESSION_DIR|PI_SESSION_.*|PI_PROVIDER|PI_MODEL|PI_REASONING_LEVEL|LODELINE_.*|GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY)|BASH_(?:ENV|FUNC_.*)|NODE_OPTIONS)$/

/** Whether `name` may be passed on when a person lists it beside the names that always are. */
export const mayPassOn = (name: string): boolean => name !== '' && !NEVER.test(name)

/** Environment of a run: of `base` what the CLI and its model's provider need, then `more` (what Lodeline gives this run). */
export function runEnvironment(base: Record<string, string>, more: Record<string, string>): Record<string, string> {
  const isPassed = (name: string) =>
    PASSED.has(name) || KEY.test(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix))
  const passed = Object.fromEntries(Object.entries(base).filter(([name]) => isPassed(name) && mayPassOn(name)))
  return { ...passed, ...more, PI_SKIP_VERSION_CHECK: '1' }
}
