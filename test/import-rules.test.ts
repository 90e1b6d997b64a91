import { describe, expect, test } from 'bun:test'
import { basename, resolve } from 'node:path'
import {
  COMMENT,
  type ImportEdge,
  importEdges,
  importGroups,
  layerOf,
  sourceFiles,
  staticClosure,
} from './import-rules'

/** What each layer may import besides itself and `util`. */
const ALLOWED: Record<string, string[]> = {
  util: [],
  domain: [],
  engine: ['domain'],
  store: ['domain'],
  harness: ['domain'],
  config: ['domain', 'harness'],
  'api/contract': ['domain'],
  'api/client': ['api/contract', 'domain'],
  'api/server': ['api/contract', 'engine', 'domain'],
  mcp: ['api/client', 'api/contract', 'domain'],
  collector: ['api/client', 'api/contract', 'config', 'domain'],
  worker: ['api/client', 'api/contract', 'config', 'domain'],
  app: [
    'domain',
    'engine',
    'store',
    'harness',
    'config',
    'api/contract',
    'api/client',
    'api/server',
    'mcp',
    'collector',
    'worker',
  ],
  demo: ['domain', 'config', 'api/contract', 'api/client', 'app'],
  cli: ['api/client', 'api/contract', 'config', 'domain'],
}

/** What may be imported at the moment it is needed, and by that is not paid for by others; its types cost nothing. */
const ALLOWED_LAZILY: Record<string, string[]> = {
  cli: ['app', 'harness', 'worker', 'collector', 'mcp'],
  app: ['demo'],
  'api/server': ['mcp'],
}

/** Why an edge is forbidden. `*` is any layer; the first rule that fits is the reason given. */
const REASONS: { from: string; to: string; why: string }[] = [
  {
    from: '*',
    to: 'cli',
    why: 'the CLI is an outermost layer: what others need of it belongs in domain, config or api/contract',
  },
  { from: 'util', to: '*', why: 'util holds leaves that know nothing of the product, so that everyone may import it' },
  {
    from: 'domain',
    to: '*',
    why: 'the domain says what the product is, without I/O; the others depend on it and not it on them',
  },
  {
    from: 'engine',
    to: 'store',
    why: 'use cases speak to the store port in domain; a concrete database would end the choice between two',
  },
  {
    from: 'engine',
    to: 'harness',
    why: 'use cases see observations only; an agent CLI they know by name is one that can not be replaced',
  },
  {
    from: 'collector',
    to: 'harness',
    why: 'what it follows is handed to it as a port: files of any agent CLI are files',
  },
  {
    from: 'worker',
    to: 'harness',
    why: 'how a CLI is run is handed to it as a port, so that a run is the same for each of them',
  },
  { from: 'engine', to: '*', why: 'use cases are called by the outer layers and call none of them' },
  {
    from: 'store',
    to: 'engine',
    why: 'the store keeps and finds; a decision made there would exist once per database',
  },
  { from: 'store', to: '*', why: 'the store is an adapter behind a port in domain and knows no other adapter' },
  { from: 'harness', to: '*', why: 'a harness turns bytes into observations, purely; whoever calls it has the rest' },
  { from: 'config', to: '*', why: 'everything reads the configuration, so it can depend on nothing that reads it' },
  { from: 'api/contract', to: '*', why: 'both ends of the wire load the contract, a browser included' },
  {
    from: 'api/client',
    to: '*',
    why: 'the client loads in a browser and in every command; the in-process app is handed to it as an argument',
  },
  {
    from: 'api/server',
    to: 'store',
    why: 'a handler that queries by itself is a second place for the rules of the engine',
  },
  { from: 'api/server', to: 'app', why: 'app puts the server together; the other direction would make a cycle' },
  {
    from: 'api/server',
    to: 'mcp',
    why: 'most servers never hear MCP, and its library costs 40 ms: it is loaded by `await import` with the first request',
  },
  { from: 'api/server', to: '*', why: 'handlers parse, call the engine and encode' },
  {
    from: 'collector',
    to: '*',
    why: 'a collector may run on another host than the server: the API is its only way in',
  },
  { from: 'worker', to: '*', why: 'a worker may run on another host than the server: the API is its only way in' },
  {
    from: 'cli',
    to: 'store',
    why: 'every answer comes through the client, so that it is the same with and without a server',
  },
  {
    from: 'cli',
    to: 'engine',
    why: 'every answer comes through the client, so that it is the same with and without a server',
  },
  {
    from: 'cli',
    to: 'app',
    why: 'start-up time is a budget: app is loaded by `await import` in the commands that need it',
  },
  {
    from: 'cli',
    to: 'harness',
    why: 'what a hook of an agent CLI says is read by `await import`, in the hooks that are answered',
  },
  {
    from: 'cli',
    to: 'collector',
    why: 'start-up time is a budget: the collector is loaded by `await import` in the commands that need it',
  },
  {
    from: 'cli',
    to: 'worker',
    why: 'start-up time is a budget: the worker is loaded by `await import` in the commands that need it',
  },
  { from: 'cli', to: 'mcp', why: 'start-up time is a budget: only `lode mcp` loads it, by `await import`' },
  {
    from: 'mcp',
    to: '*',
    why: 'tools are calls of the API in other words, so that a token may do the same by either way',
  },
  { from: 'app', to: 'demo', why: 'only `lode up --demo` plays the demonstration: it is loaded by `await import`' },
  { from: 'demo', to: '*', why: 'the demonstration uses Lodeline as a person does: by the app and its client' },
  { from: 'cli', to: '*', why: 'a command is a client of the API and a terminal, nothing else' },
]

/** Packages that only some layers may load, and why. Built-in modules count by their full name. */
const PACKAGES: { name: RegExp; layers: string[]; why: string }[] = [
  { name: /^kysely/, layers: ['store'], why: 'SQL lives in the store' },
  {
    name: /^(@dagrejs|react|react-dom|radix-ui|lucide-react|tailwindcss|@tailwindcss|@tanstack)(\/|$)/,
    layers: [],
    why: 'what a page is made of is bundled for browsers, from web/ alone',
  },
  {
    name: /^(node:)?crypto$/,
    layers: [],
    why: 'its first import costs a process 2 ms: util/crypto has what is needed',
  },
  { name: /^yaml$/, layers: ['config'], why: 'settings alone are edited in YAML; reading it is built into Bun' },
  { name: /^@modelcontextprotocol/, layers: ['mcp'], why: 'one place speaks MCP, and is loaded when it is spoken' },
  {
    name: /^openid-client$/,
    layers: ['app'],
    why: 'one place speaks to a provider, and is loaded with the first login by it',
  },
  { name: /^(hono|@hono\/.*)$/, layers: ['api/server', 'app'], why: 'only the server speaks HTTP by way of a router' },
  {
    name: /^zod/,
    layers: ['api/contract', 'api/server', 'config', 'mcp', 'app'],
    why: 'schemas guard the edges; loading zod costs a command most of its start-up budget',
  },
]

/** What neither start-up nor the commands that an agent waits for may load. */
const HEAVY =
  /^(node:net|diff|eventsource-parser|jsonc-parser.*|yaml|zod|hono|@hono\/.*|kysely.*|openid-client|@modelcontextprotocol\/.*)$/

/** Folders of the store, and files beside them, whose programs yield SQL as text; everything else is checked against the schema. */
const TEXT_STATEMENTS: Readonly<Record<string, string>> = {
  'store/sql/': 'what statements are made of',
  'store/record/': 'the recording path, whose thread does nothing else',
  'store/recall/': 'hooks load it, whose agent waits: no Kysely',
  'store/issues/ready.ts': 'hooks ask it, and what is asked depends on the filter',
  'store/messages/addresses.ts': 'hooks and the record ask it',
  'store/session/reads/session-issues.ts': 'hooks ask it',
  'store/tasks/served-issues.ts': 'hooks ask it',
  'store/tasks/shown.ts': 'its columns are those of hooks',
  'store/todos/lists.ts': 'the columns that tell of life are those of hooks, and what is asked depends on the filter',
  'store/todos/promotions.ts':
    'a command without a server would compile it in each process: 1.3 ms before its first answer',
  'store/todos/rows.ts': 'the columns that tell of life are those of hooks',
  'store/session/reads/shell-processes.ts': 'the columns that tell of life are those of hooks',
  'store/issues/writes/': 'a command without a server would compile them in each process: 16 ms for `issue create`',
  'store/tasks/writes/claim.ts': 'how long a statement is depends on the sets of capabilities',
}

/** Run-time dependencies that only what needs them loads. */
const LAZY_PACKAGES: Readonly<Record<string, string>> = {
  'age-encryption': 'backups and exports that are encrypted',
  'modern-tar': 'backups and exports',
  'openid-client': 'logins by a provider',
  'web-push': 'notifications in browsers',
}
/** What starts: the program, its threads, a server, a worker. */
const STARTED = [
  'cli/main.ts',
  'app/up.ts',
  'app/worker.ts',
  'app/threads/record-thread.ts',
  'app/threads/task-thread.ts',
]

const LINE_LIMIT = 800

/** Enters every harness; nothing else imports a folder below `harness` from outside. */
const REGISTRY = 'harness/registry.ts'
/** No agent CLI: what the harnesses of several read files, put hooks in, speak and decide with. */
const SHARED = [
  'harness/json-lines',
  'harness/hook-settings',
  'harness/program',
  'harness/acp',
  'harness/tool-gate',
  'harness/failures',
]

const root = resolve(import.meta.dir, '..')
/** Erased and lazy imports load nothing with the module. */
const isLoaded = ({ kind }: ImportEdge): boolean => kind === 'static'
const files = await sourceFiles()
const edges = importEdges(files)

function reason(from: string, to: string): string | undefined {
  const fits = (pattern: string, layer: string) => pattern === '*' || pattern === layer
  return REASONS.find((rule) => fits(rule.from, from) && fits(rule.to, to))?.why
}

function broken(edge: ImportEdge): string | undefined {
  const from = layerOf(edge.from)
  if (!edge.isOurs) {
    const rule = PACKAGES.find(({ name, layers }) => name.test(edge.to) && !layers.includes(from))
    return rule && `${edge.from} imports ${edge.to}: ${rule.why}`
  }
  if (!files.has(edge.to)) return undefined
  const to = layerOf(edge.to)
  if (from === to || to === 'util' || ALLOWED[from]?.includes(to)) return undefined
  if (edge.kind !== 'static' && ALLOWED_LAZILY[from]?.includes(to)) return undefined
  return `${edge.from} imports ${edge.to}: ${reason(from, to)}`
}

describe('imports', () => {
  test('every forbidden edge between layers has a reason', () => {
    const layers = Object.keys(ALLOWED)
    const forbidden = layers.flatMap((from) =>
      layers
        .filter((to) => to !== from && to !== 'util' && !ALLOWED[from]?.includes(to))
        .map((to) => [from, to] as const),
    )
    expect(forbidden.filter(([from, to]) => reason(from, to) === undefined)).toEqual([])
  })

  test('every file of src belongs to a layer', () => {
    expect([...files.keys()].filter((path) => ALLOWED[layerOf(path)] === undefined)).toEqual([])
  })

  test('no file imports against the direction of the layers', () => {
    expect(edges.map(broken).filter((sentence) => sentence !== undefined)).toEqual([])
  })

  test('one file knows the agent CLIs by name: who needs one asks the registry', () => {
    const own = (path: string) => path.split('/').slice(0, 2).join('/')
    const knowing = edges.filter(
      ({ from, to, isOurs }) =>
        isOurs &&
        files.has(to) &&
        /^harness\/[^/]+\//.test(to) &&
        own(from) !== own(to) &&
        from !== REGISTRY &&
        !(SHARED.includes(own(to)) && from.startsWith('harness/')),
    )
    expect(knowing.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
    const names = [...files.keys()]
      .filter((path) => !SHARED.some((folder) => path.startsWith(`${folder}/`)))
      .flatMap((path) => /^harness\/([^/]+)\//.exec(path)?.[1] ?? [])
    const literal = new RegExp(`['"](${[...new Set(names)].join('|')})['"]`)
    const spelling = [...files].filter(
      // A command that sets a CLI up is named after it, and says which it is.
      ([path, source]) =>
        !/^(?:harness|cli\/commands\/setup)\//.test(path) && literal.test(source.replace(COMMENT, '')),
    )
    expect(spelling.map(([path]) => path)).toEqual([])
  })

  test('the store writes its statements with types; text has a reason', () => {
    const asText = /import \{[^}]*(?<!type )\b(?:rows|first|run|insert)\b[^}]*\} from '[./]*\/(?:sql\/)?program'/
    const writing = [...files].filter(([path, source]) => path.startsWith('store/') && asText.test(source))
    const reasons = Object.keys(TEXT_STATEMENTS)
    const unknown = writing.filter(([path]) => !reasons.some((place) => path.startsWith(place)))
    expect(unknown.map(([path]) => path)).toEqual([])
    const stale = reasons.filter((place) => !place.endsWith('/') && !writing.some(([path]) => path === place))
    expect(stale).toEqual([])
  })

  test('no modules need one another in a circle to be loaded', () => {
    expect(importGroups(edges.filter(isLoaded))).toEqual([])
  })

  test('no rooms of the engine need one another in a circle', () => {
    const room = (path: string) => path.split('/').slice(0, 2).join('/')
    const between = edges
      .filter(({ from, to, kind }) => kind !== 'lazy' && from.startsWith('engine/') && to.startsWith('engine/'))
      .map((edge) => ({ ...edge, from: room(edge.from), to: room(edge.to) }))
      .filter(({ from, to }) => from !== to)
    expect(importGroups(between)).toEqual([])
  })

  test('no modules need one another in a circle to be understood: types count as well', () => {
    expect(importGroups(edges.filter(({ kind }) => kind !== 'lazy'))).toEqual([])
  })

  test('start-up and the commands that an agent waits for load no parser, zod, hono or kysely', () => {
    const entries = [
      'cli/main.ts',
      'cli/commands/hook.ts',
      'cli/hooks/hook-answer.ts',
      'cli/commands/run/guard.ts',
    ].filter((path) => files.has(path))
    expect(entries).toContain('cli/main.ts')
    expect(entries).toContain('cli/commands/run/guard.ts')
    // What hooks read of the database, loaded by `await import`.
    entries.push('store/recall/recall-reader.ts', 'store/recall/launch-reader.ts', 'config/load.ts')
    const heavy = entries.flatMap((entry) =>
      [...staticClosure(entry, edges).packages]
        .filter(([name]) => HEAVY.test(name))
        .map(([name, by]) => `${entry} loads ${name} by way of ${by}`),
    )
    expect(heavy).toEqual([])
  })

  test('the guard, of which each run has one, loads node:fs and a handful of our files', () => {
    const closure = staticClosure('cli/commands/run/guard.ts', edges)
    expect([...closure.packages.keys()]).toEqual(['node:fs'])
    expect(closure.files.size).toBeLessThan(8)
  })
})

describe('the rules themselves', () => {
  const sample = new Map([
    ['store/a.ts', "import type { B } from '../engine/b'\nimport { c } from './c'\n"],
    ['engine/b.ts', "/* import 'zod' */\n// import 'hono'\nexport {\n  x,\n} from '../store/a'\n"],
    [
      'store/c.ts',
      "import 'kysely'\nexport const load = async () => await import('../cli/d')\nconst text = \"from 'zod'\"\n",
    ],
    ['cli/d.ts', ''],
  ])

  test('see static, erased and lazy imports, and none in comments or strings', () => {
    expect(importEdges(sample).map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
      'store/a.ts type engine/b.ts',
      'store/a.ts static store/c.ts',
      'engine/b.ts static store/a.ts',
      'store/c.ts static kysely',
      'store/c.ts lazy cli/d.ts',
    ])
  })

  test('see a circle, and none where an erased or lazy import closes it', () => {
    expect(importGroups(importEdges(sample).filter(isLoaded))).toEqual([])
    const closed = new Map(sample)
      .set('store/c.ts', "import { x } from '../engine/b'\n")
      .set('engine/b.ts', "import './../store/c'\n")
    expect(importGroups(importEdges(closed).filter(isLoaded))).toEqual([['engine/b.ts', 'store/c.ts']])
  })

  test('see files that reach one another, however long the way', () => {
    const edge = (from: string, to: string): ImportEdge => ({ from, to, isOurs: true, kind: 'type' })
    const line = [edge('a', 'b'), edge('b', 'c'), edge('c', 'd'), edge('d', 'e')]
    expect(importGroups(line)).toEqual([])
    expect(importGroups([...line, edge('d', 'b'), edge('x', 'y'), edge('y', 'x')])).toEqual([
      ['b', 'c', 'd'],
      ['x', 'y'],
    ])
  })

  test('walk static imports only', () => {
    const closure = staticClosure('engine/b.ts', importEdges(sample))
    expect([...closure.files]).toEqual(['engine/b.ts', 'store/a.ts', 'store/c.ts'])
    expect([...closure.packages]).toEqual([['kysely', 'store/c.ts']])
  })
})

describe('files', () => {
  const written = ['src', 'web', 'test', 'scripts', 'bench']
    .flatMap((place) => [...new Bun.Glob(`${place}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: root })])
    .filter((path) => !/^test\/(fixtures|lab)\//.test(path))
    // Written by `npm run generate`: it is as long as there are columns.
    .filter((path) => path !== 'src/store/sql/tables.ts')

  test(`none has more than ${LINE_LIMIT} lines`, async () => {
    const lengths = await Promise.all(
      written.map(async (path) => ({
        path,
        lines: (await Bun.file(resolve(root, path)).text()).split('\n').length - 1,
      })),
    )
    expect(lengths.filter(({ lines }) => lines > LINE_LIMIT)).toEqual([])
  })

  test('have constants that say what they bound, with the unit of a time', () => {
    const bare = /\bconst (MOST|FEW|AT_ONCE|EVERY|LONG|(?:LOOK|SOON|WAIT|EVERY|GRACE|KEEP)(?:_MS)?) =/g
    const found = [...files].flatMap(([path, source]) =>
      [...source.matchAll(bare)].map(([, name]) => `${path} ${name}`),
    )
    expect(found).toEqual([])
  })

  test('are named in kebab-case by their one subject', () => {
    const names = written.map((path) => basename(path).replace(/(\.test|\.d)?\.(tsx?|mjs)$/, ''))
    expect(names.filter((name) => !/^_?[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([])
    expect(names.filter((name) => /^(utils?|helpers?|types?|common|misc)$/.test(name))).toEqual([])
  })
})

describe('package.json', () => {
  test('names at most ten runtime dependencies that may load at the start, each with an exact version', async () => {
    const manifest = (await Bun.file(`${root}/package.json`).json()) as Record<
      string,
      Record<string, string> | undefined
    >
    const early = Object.keys(manifest.dependencies ?? {}).filter((name) => !(name in LAZY_PACKAGES))
    expect(early.length).toBeLessThanOrEqual(10)
    const started = STARTED.flatMap((entry) => [...staticClosure(entry, edges).packages.keys()])
    expect(started.filter((name) => name in LAZY_PACKAGES)).toEqual([])
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
    const loose = Object.entries(all).filter(([, version]) => !/^(npm:.*@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    expect(loose).toEqual([])
  })

  test('has a lock file with the packages of every platform, without which npm ci refuses it', async () => {
    const { packages } = (await Bun.file(`${root}/package-lock.json`).json()) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>
    }
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => {
        const nested = path === '' ? '' : `${path}/`
        return !packages[`${nested}node_modules/${name}`] && !packages[`node_modules/${name}`]
      }),
    )
    expect(missing).toEqual([])
  })

  test('has a lock file that names no registry', async () => {
    expect(await Bun.file(`${root}/package-lock.json`).text()).not.toContain('"resolved"')
  })
})
