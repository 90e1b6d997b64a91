import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isRecord, type JsonRecord, listOf, recordOf } from '../../json-lines/json-value'
import { PLUGIN_FILE } from './arguments'

/** Names that are passed on to a run as they are. PWD is none: the CLI would take it for its working directory. */
const PASSED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ' +
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR ' +
    'AWS_PROFILE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK ' +
    'GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT VERTEX_LOCATION GITHUB_TOKEN GITLAB_TOKEN HF_TOKEN'
  ).split(' '),
)
/** For the CLI and the packages that it loads, the language and folders of the desktop. */
const PASSED_PREFIXES = ['OPENCODE_', 'npm_config_', 'LC_', 'XDG_']
/** Keys to providers of models, of which the CLI knows a hundred. */
const KEY = /^[A-Z][A-Z0-9_]{1,40}_(?:API_KEY|BASE_URL|RESOURCE_NAME|ACCOUNT_ID|GATEWAY_ID)$/

/** What the CLI gives to what it starts, what would open it to others, and what would lead git elsewhere. */
const NEVER =
  /^(?:OPENCODE|OPENCODE_(?:PID|CLIENT|ROUTE|SERVER_.*|WORKSPACE_ID|PURE|AUTO_SHARE|ENABLE_QUESTION_TOOL)|LODELINE_.*|GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY)|BASH_(?:ENV|FUNC_.*)|NODE_OPTIONS|PWD)$/

/** @see HarnessRun.mayPassOn */
export const mayPassOn = (name: string): boolean => name !== '' && !NEVER.test(name)

/** @see HarnessRun.runEnvironment */
export function runEnvironment(base: Record<string, string>, more: Record<string, string>): Record<string, string> {
  const isPassed = (name: string) =>
    PASSED.has(name) || KEY.test(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix))
  const passed = Object.fromEntries(Object.entries(base).filter(([name]) => isPassed(name) && mayPassOn(name)))
  const env = { ...passed, ...more }
  const folder = more.LODELINE_RUN_DIR
  return {
    ...env,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    // A repository may bring plugins, which are programs, commands, and permissions of its own.
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    ...(folder !== undefined && {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(withPlugin(env.OPENCODE_CONFIG_CONTENT, join(folder, PLUGIN_FILE))),
      // It listens on the loopback, for itself.
      OPENCODE_SERVER_PASSWORD: crypto.randomUUID(),
      // With a plugin it looks for a package of its own at each start, and waits for the registry. Our plugin needs none, and takes this
      // away again for what the agent runs.
      npm_config_offline: 'true',
    }),
  }
}

/** The person's own settings in the environment, and our plugin: one that is named by its file is loaded as it is, without packages. */
function withPlugin(content: string | undefined, path: string): JsonRecord {
  const given = settingsIn(content)
  return { ...given, plugin: [...listOf(given.plugin), pathToFileURL(path).href], share: 'disabled', autoupdate: false }
}

function settingsIn(text: string | undefined): JsonRecord {
  try {
    const read: unknown = JSON.parse(text ?? '{}')
    return isRecord(read) ? read : {}
  } catch {
    return {}
  }
}

/** Where the providers answer that most people use. */
const OWN = ['https://opencode.ai', 'https://models.dev', 'https://api.anthropic.com', 'https://api.openai.com']

/** @see HarnessRun.modelUrls. Looks at the providers in the person's settings. */
export function modelUrls(env: Readonly<Record<string, string>>): string[] {
  const folder = join(env.XDG_CONFIG_HOME || join(env.HOME ?? '/', '.config'), 'opencode')
  const settings = [settingsIn(env.OPENCODE_CONFIG_CONTENT), settingsIn(textIn(join(folder, 'opencode.json')))]
  const urls = settings.flatMap(({ provider }) =>
    Object.values(recordOf(provider) ?? {}).map((each) => recordOf(recordOf(each)?.options)?.baseURL),
  )
  return [...OWN, ...urls.filter((url) => typeof url === 'string' && URL.canParse(url))] as string[]
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '{}'
  }
}
