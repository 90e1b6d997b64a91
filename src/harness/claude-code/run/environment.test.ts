import { expect, test } from 'bun:test'
import { mayPassOn, runEnvironment } from './environment'

/** What every run gets. */
const ALWAYS = {
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
  CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
  DISABLE_AUTOUPDATER: '1',
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '30000',
}

test("a run gets what the CLI and its model need, and the person's own settings of the CLI", () => {
  const base = {
    PATH: '/bin',
    HOME: '/home/user',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    https_proxy: 'http://proxy',
    ANTHROPIC_API_KEY: 'k',
    CLAUDE_CONFIG_DIR: '/c',
    CLAUDE_CODE_OAUTH_TOKEN: 't',
  }
  const { NO_PROXY: _1, no_proxy: _2, ...environment } = runEnvironment(base, {})
  expect(environment).toEqual({ ...base, ...ALWAYS })
})

const CLOUDS = {
  AWS_SECRET_ACCESS_KEY: 'a',
  GOOGLE_APPLICATION_CREDENTIALS: '/g',
  CLOUD_ML_REGION: 'r',
  AZURE_CLIENT_SECRET: 'z',
}

test("a run gets no key to a cloud, to the person's agents and to git, but that of its model's provider", () => {
  const base = { ...CLOUDS, GIT_AUTHOR_NAME: 'n', GIT_SSH_COMMAND: 'c', SSH_AUTH_SOCK: '/s', GITHUB_TOKEN: 'h' }
  expect(runEnvironment(base, {})).toEqual(ALWAYS)
  const chosen = (variable: string, value = '1') =>
    Object.keys(CLOUDS).filter((name) => name in runEnvironment({ ...base, [variable]: value }, {}))
  expect(chosen('CLAUDE_CODE_USE_BEDROCK')).toEqual(['AWS_SECRET_ACCESS_KEY'])
  expect(chosen('CLAUDE_CODE_USE_VERTEX')).toEqual(['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUD_ML_REGION'])
  expect(chosen('CLAUDE_CODE_USE_FOUNDRY')).toEqual(['AZURE_CLIENT_SECRET'])
  for (const no of ['', '0', 'false']) expect(chosen('CLAUDE_CODE_USE_BEDROCK', no)).toEqual([])
})

test('Lodeline on this machine is reached past a proxy, and what the person excepted stays excepted', () => {
  const { NO_PROXY, no_proxy } = runEnvironment({ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'intra,localhost' }, {})
  expect(NO_PROXY).toBe('intra,localhost,127.0.0.1,::1')
  expect(no_proxy).toBe(NO_PROXY)
  expect(runEnvironment({ NO_PROXY: 'intra' }, {}).NO_PROXY).toBe('intra')
})

test('agents have their to-do tools, unless the person chose otherwise', () => {
  expect(runEnvironment({}, {}).CLAUDE_CODE_ENABLE_TODO_TOOLS).toBe('1')
  expect(runEnvironment({ CLAUDE_CODE_ENABLE_TODO_TOOLS: '0' }, {}).CLAUDE_CODE_ENABLE_TODO_TOOLS).toBe('0')
})

test("nothing of another agent's session, of another run, or of the worker's own secrets goes in", () => {
  const base = {
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: 's',
    CLAUDE_CODE_SESSION_ATTENDED: '1',
    CLAUDE_CODE_CHILD_SESSION: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_MESSAGING_SOCKET: '/s',
    CLAUDE_CODE_MESSAGING_TOKEN: 't',
    CLAUDE_CODE_TASK_LIST_ID: 'l',
    CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1',
    CLAUDE_CODE_EXIT_AFTER_STOP_DELAY: '1',
    CLAUDE_CODE_SIMPLE: '1',
    CLAUDE_CODE_SSE_PORT: '1',
    CLAUDE_PROJECT_DIR: '/p',
    CLAUDE_ENV_FILE: '/e',
    CLAUDE_PID: '1',
    AI_AGENT: 'x',
    LODELINE_TOKEN: 't',
    LODELINE_URL: 'u',
    LODELINE_HOME: '/h',
    LODELINE_DATABASE_URL: 'postgres://',
    GIT_DIR: '/other/.git',
    BASH_ENV: '/evil',
    NODE_OPTIONS: '--require /x',
    LD_PRELOAD: '/x.so',
    DATABASE_URL: 'secret',
  }
  expect(runEnvironment(base, {})).toEqual(ALWAYS)
})

test('what Lodeline gives the run wins, but not over what tells when it is idle', () => {
  const environment = runEnvironment(
    { LODELINE_TASK_ID: 'old', TERM: 'dumb' },
    { LODELINE_TASK_ID: 't-1', TERM: 'xterm', CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '0' },
  )
  expect(environment).toEqual({ ...ALWAYS, LODELINE_TASK_ID: 't-1', TERM: 'xterm' })
})

test('a name that a person lists is passed on unless it belongs to a session', () => {
  expect(['DATABASE_URL', 'CARGO_HOME', 'SSH_AUTH_SOCK', 'AWS_PROFILE', 'GIT_AUTHOR_NAME'].every(mayPassOn)).toBe(true)
  expect(['', 'CLAUDE_CODE_SESSION_ID', 'LODELINE_TOKEN', 'GIT_DIR'].some(mayPassOn)).toBe(false)
})
