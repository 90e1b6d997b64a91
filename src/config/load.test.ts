import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../test/lab/empty-repository'
import { isAppError } from '../domain/errors'
import { harnesses } from '../harness/registry'
import { type ConfigFlags, loadConfig, readConfig } from './load'

let root: string
let home: string
let repository: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  home = join(root, 'user/.lodeline')
  repository = join(root, 'user/work/repo')
  mkdirSync(home, { recursive: true })
  mkdirSync(join(repository, '.lodeline'), { recursive: true })
  emptyRepository(repository)
  mkdirSync(join(repository, 'deep/er'), { recursive: true })
})

const sources = (env: Record<string, string> = {}, flags: ConfigFlags = {}, cwd = repository) => ({
  env: { HOME: join(root, 'user'), ...env },
  cwd,
  flags,
})
const load = (...args: Parameters<typeof sources>) => loadConfig(sources(...args))
const read = (...args: Parameters<typeof sources>) => readConfig(sources(...args))
const userFile = (text: string) => writeFileSync(join(home, 'config.yaml'), text)
const projectFile = (text: string) => writeFileSync(join(repository, '.lodeline/config.yaml'), text)
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (isAppError(error) && error.code === 'invalid') return error.message
    throw error
  }
  throw new Error('was not refused')
}

describe('settings', () => {
  test('have defaults that follow the user', () => {
    expect(load()).toEqual({
      home,
      databaseUrl: null,
      databaseDirectUrl: null,
      blobs: null,
      listen: { host: '127.0.0.1', port: 4655 },
      agents: {
        'claude-code': { homes: [join(root, 'user/.claude')], executable: null },
        ...Object.fromEntries(
          harnesses()
            .slice(1)
            .map(({ name, root: homeIn }) => [
              name,
              { homes: [homeIn({ HOME: join(root, 'user') })], executable: null },
            ]),
        ),
      },
      collector: { enabled: true, rescanSeconds: 30 },
      log: { level: 'info' },
      retention: { days: null, feedDays: 90, taskDays: null },
      stuckAfterMs: 900_000,
      lead: { answers: 'never' },
      inbox: { callbackNetworks: [] },
      notify: { networks: [], commands: false },
      search: { toolOutput: true },
      secrets: { detect: true, ignore: [] },
      login: { oidc: null },
      server: { publicUrl: null, allowedHosts: [], trustedProxies: [], drainMs: 0 },
      issueFile: { write: 'always' },
      issues: { bd: [] },
      todos: {
        enabled: true,
        maxPerSession: 1_000,
        debounceMs: 500,
        retentionDays: null,
        exportToJsonl: false,
        onReplace: 'merge',
        linkFrom: ['person', 'claim', 'task', 'environment', 'prompt', 'branch'],
        closePromoted: true,
      },
      hooks: { autoInstall: false },
      guard: { launches: 'once' },
      messages: { wake: 'socket' },
      tasks: {
        depth: 5,
        children: 50,
        tree: 500,
        leaseMs: 15_000,
        running: { perUser: 0, perProject: 0, perAgent: 0 },
      },
      manifest: { enabled: true, retentionDays: 30 },
      worker: {
        enabled: true,
        name: null,
        concurrency: 2,
        capabilities: [],
        account: null,
        agent: null,
        fallback: false,
        settingSources: 'user',
        dir: null,
        dirs: [],
        worktreeFolder: join(home, 'worktrees'),
        mirrorFolder: join(home, 'mirrors'),
        liveWords: true,
        workCopies: true,
        keepWorktrees: 'changed',
        backgroundGraceMs: 30_000,
        questionMs: 600_000,
        questionDefault: 'deny',
        allow: [],
        deny: [],
        maxPermissionMode: 'default',
        sandbox: 'auto',
        writableDirs: [],
        network: ['common'],
        passEnvironment: [],
        mcpServers: [],
      },
    })
    expect(load({ CLAUDE_CONFIG_DIR: '/c' }).agents['claude-code']?.homes).toEqual(['/c'])
    expect(load({ CODEX_HOME: '/x' }).agents.codex?.homes).toEqual(['/x'])
    expect(load({ LODELINE_HOME: join(root, 'other') }).home).toBe(join(root, 'other'))
  })

  test('come from the user file, the project file, the environment and flags, the later ones winning', () => {
    const port = () => load({ LODELINE_LISTEN: '' }).listen.port
    userFile('listen: { port: 1 }\ncollector:\n  rescanSeconds: 10\n')
    expect(port()).toBe(1)
    projectFile('collector.rescanSeconds: 20')
    expect(load().collector.rescanSeconds).toBe(20)
    expect(load({ LODELINE_LISTEN: '0.0.0.0:2' }).listen).toEqual({ host: '0.0.0.0', port: 2 })
    expect(load({ LODELINE_LISTEN: '[::1]:2' }).listen).toEqual({ host: '::1', port: 2 })
    expect(load({ LODELINE_LISTEN: '2' }, { settings: { 'listen.port': 3 } }).listen).toEqual({
      host: '127.0.0.1',
      port: 3,
    })
  })

  test('are frozen', () => {
    const config = load()
    for (const part of [config, config.listen, config.agents, config.agents.codex])
      expect(Object.isFrozen(part)).toBe(true)
  })

  test('tell where each value came from', () => {
    userFile('listen.port: 1')
    const { entries } = read({ LODELINE_DATABASE_URL: 'postgres://h/d' })
    const origins = Object.fromEntries(entries.map(({ key, origin }) => [key, origin]))
    expect(origins).toMatchObject({ databaseUrl: 'environment', 'listen.port': 'user file', 'log.level': 'default' })
  })

  test('of the worker are read from the file, in its own words', () => {
    userFile(`worker:
  name: big-box
  concurrency: 4
  capabilities: gpu, docker
  settingSources: local,user
  dir: off
  worktreeFolder: trees
  keepWorktrees: always
  backgroundGraceSeconds: 0
  questionSeconds: 5
  questionDefault: allow
  allow: [Edit, "Bash(npm test, twice*)", Edit]
  deny: "WebFetch(*)"
  maxPermissionMode: acceptEdits
  passEnvironment: [MY_PROXY]
`)
    expect(load().worker).toEqual({
      enabled: true,
      name: 'big-box',
      concurrency: 4,
      capabilities: ['gpu', 'docker'],
      account: null,
      agent: null,
      fallback: false,
      settingSources: 'user,local',
      dir: null,
      dirs: [],
      worktreeFolder: join(home, 'trees'),
      mirrorFolder: join(home, 'mirrors'),
      liveWords: true,
      workCopies: true,
      keepWorktrees: 'always',
      backgroundGraceMs: 0,
      questionMs: 5_000,
      questionDefault: 'allow',
      allow: ['Edit', 'Bash(npm test, twice*)'],
      deny: ['WebFetch(*)'],
      maxPermissionMode: 'acceptEdits',
      sandbox: 'auto',
      writableDirs: [],
      network: ['common'],
      passEnvironment: ['MY_PROXY'],
      mcpServers: [],
    })
  })

  test('of what tasks reach are hosts, or one word for all or nothing', () => {
    const network = (text: string) => {
      userFile(`worker:\n  network: ${text}\n`)
      return load().worker.network
    }
    expect(network('[common, Git.Example.com, "10.0.0.0/8"]')).toEqual(['common', 'git.example.com', '10.0.0.0/8'])
    expect(network('open')).toEqual(['open'])
    expect([network('off'), network('[off]')]).toEqual([[], []])
    for (const wrong of ['[open, a.com]', '"http://a.com"', '"*"', '[off, a.com]'])
      expect(refusal(() => network(wrong))).toContain('worker.network')
  })

  test('in a list of folders are relative to their file, and know ~', () => {
    userFile('agents.claude-code:\n  homes: [~/.claude, other, /abs]\n')
    expect(load().agents['claude-code']?.homes).toEqual([join(root, 'user/.claude'), join(home, 'other'), '/abs'])
  })
})

describe('a mistake', () => {
  test('names the key, the file and what would be right', () => {
    userFile('listen: { port: 99999 }')
    expect(refusal(load)).toBe(`listen.port in ${home}/config.yaml must be a whole number from 0 to 65535.`)
    userFile('retention: { days: 0 }')
    expect(refusal(load)).toContain('retention.days')
    userFile('log: { level: loud }')
    expect(refusal(load)).toContain('must be one of debug, info, warn, error')
    userFile('agents.codex: { homes: [1] }')
    expect(refusal(load)).toContain('must be a list of folders')
    userFile('worker.settingSources: [user, all]')
    expect(refusal(load)).toContain('must name some of user, project, local')
    userFile('worker.allow: ["Bash(npm"]')
    expect(refusal(load)).toContain('must be a list of Tool or Tool(pattern)')
    userFile('worker.passEnvironment: ["A=b"]')
    expect(refusal(load)).toContain('must be a list of names of environment variables')
    userFile('worker.maxPermissionMode: manual')
    expect(refusal(load)).toContain('must be one of plan, dontAsk, default, acceptEdits, auto, bypassPermissions')
    userFile('worker.name: "../x"')
    expect(refusal(load)).toContain('worker.name')
    userFile('')
    expect(refusal(() => load({ LODELINE_LISTEN: 'localhost' }))).toBe('LODELINE_LISTEN must be PORT or HOST:PORT.')
  })

  test('never repeats a database address, which may hold a password', () => {
    const message = refusal(() => load({ LODELINE_DATABASE_URL: 'mysql://u:hunter2@h/d' }))
    expect(message).toContain('must be a postgres:// address')
    expect(message).not.toContain('hunter2')
  })

  test('in the name of a key is told, and the rest counts', () => {
    userFile('lisen: { port: 1 }\nlog.level: warn\n')
    const { warnings, errors, config } = read()
    expect(warnings).toEqual([`${home}/config.yaml: unknown setting 'lisen.port'.`])
    expect(errors).toEqual([])
    expect(config.log.level).toBe('warn')
  })

  test('that no YAML parser could take is told as what it is', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'.split('').map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`)}]`),
    ]
    const hostile = [
      'a: [',
      '[1, 2]',
      '5',
      '\t- x',
      `${'['.repeat(30_000)}`,
      '{a: '.repeat(10_000),
      bomb.join('\n'),
      '&a [*a]',
      'a: "\\ud800',
      `a: ${'x'.repeat(70_000)}`,
    ]
    for (const text of hostile) {
      userFile(text)
      expect(refusal(load)).toStartWith(`${home}/config.yaml `)
    }
  })

  test('of the kind that a file is a folder or a pipe does not hang or crash', () => {
    mkdirSync(join(home, 'config.yaml'))
    expect(refusal(load)).toBe(`${home}/config.yaml is not a file.`)
    rmSync(join(home, 'config.yaml'), { recursive: true })
    expect(Bun.spawnSync(['mkfifo', join(home, 'config.yaml')]).exitCode).toBe(0)
    expect(refusal(load)).toBe(`${home}/config.yaml is not a file.`)
  })

  test('with prototypes changes nothing', () => {
    userFile('__proto__:\n  port: 1\nconstructor: 2\nlisten: { __proto__: { port: 3 } }\n')
    expect(read().config.listen.port).toBe(4_655)
    expect(({} as Record<string, unknown>).port).toBeUndefined()
  })
})

describe("a project's file", () => {
  test('is found from a folder below it, up to the root of the repository', () => {
    projectFile('collector.rescanSeconds: 20')
    expect(load({}, {}, join(repository, 'deep/er')).collector.rescanSeconds).toBe(20)
    emptyRepository(join(repository, 'deep'))
    expect(load({}, {}, join(repository, 'deep/er')).collector.rescanSeconds).toBe(30)
  })

  test("is never Lodeline's own folder in the user's home", () => {
    userFile('listen.port: 7')
    expect(read({ LODELINE_HOME: join(root, 'elsewhere') }, {}, join(root, 'user')).projectFile).toBeNull()
    expect(read({ LODELINE_HOME: join(root, 'elsewhere') }, {}, join(root, 'user/work')).projectFile).toBeNull()
  })

  test('may not send the record elsewhere, open a port, read other folders, or stop or delete recording', () => {
    projectFile(
      'databaseUrl: postgres://evil/x\nlisten: { host: 0.0.0.0, port: 1 }\nagents.codex.homes: [/etc]\n' +
        'collector: { enabled: false }\nretention: { days: 1 }\nlog: { level: debug }\nagents.claude-code.executable: /tmp/evil\nworker: { allow: [Bash] }\n',
    )
    const { config, warnings, errors } = read()
    rmSync(join(repository, '.lodeline/config.yaml'))
    expect(config).toEqual(load())
    expect(errors).toEqual([])
    expect(warnings.length).toBe(9)
    expect(warnings[0]).toContain("is ignored because a project's file can't set it")
  })

  test('that is broken is told and left out: it is somebody else’s', () => {
    for (const text of ['a: [', 'collector.rescanSeconds: none']) {
      projectFile(text)
      const { errors, warnings, config } = read()
      expect([errors.length, warnings.length, config.collector.rescanSeconds]).toEqual([0, 1, 30])
    }
  })
})
