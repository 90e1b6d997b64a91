/**
 * Tries `lode service` with a real systemd for a user: `npm run systemd`. Prints JSON of what was seen; exits 1 when something did not hold.
 *
 * Needs root on Linux and Debian's `systemd`; it need not be the machine's init. In a mount space of its own it makes the folder by which
 * systemd sees that it was booted, and starts one manager for an empty home. A service of a former program becomes one of today's. A task is
 * at work while the server is killed and `lode upgrade` brings another file: its process goes on, and then its worker restarts with that
 * file. It is no test of `npm test`: most machines can't run it.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLab } from '../test/lab/lab'
import { isAlive, killAll, processTree } from '../test/lab/processes'
import { until } from '../test/lab/until'

const INSIDE = 'LODELINE_SYSTEMD_INSIDE'
const MANAGER = '/lib/systemd/systemd'

if (process.env[INSIDE] === undefined) {
  const again = ['unshare', '--mount', process.execPath, ...process.argv.slice(1)]
  const child = Bun.spawn(again, { env: { ...process.env, [INSIDE]: '1' }, stdio: ['ignore', 'inherit', 'inherit'] })
  process.exit(await child.exited)
}

mkdirSync('/run/systemd', { recursive: true })
run('mount', '-t', 'tmpfs', 'none', '/run/systemd')
mkdirSync('/run/systemd/system')
for (const tree of ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified']) ownGroup(tree)

/** A tool call that ends when the test says so. */
const SCRIPT = [
  { name: 'title', match: { who: 'aux' }, steps: [{ text: 'A title' }] },
  {
    name: 'long',
    match: { who: 'main' },
    steps: [
      { tools: [{ name: 'Bash', input: { command: 'echo >> begun; while [ ! -e lit ]; do sleep 0.1; done' } }] },
      { text: 'The lamp is lit.' },
    ],
  },
]
const lab = await openLab({ claude: { version: '2.1.330', script: SCRIPT } })
const runtime = lab.folder('run')
const session = { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtime}/bus` }
const program = installed()
const lode = lab.addLode('l', {
  command: [program],
  claudeRoots: [lab.claude.claudeRoot],
  cwd: lab.claude.project,
  env: { ...lab.claude.environment(), ...session },
  settings: {
    'agents.claude-code.executable': join(import.meta.dir, '../node_modules/claude-code-2.1.330/bin/claude.exe'),
    'worker.sandbox': 'off',
    'worker.maxPermissionMode': 'bypassPermissions',
    'worker.passEnvironment': Object.keys(lab.claude.environment()).filter((name) =>
      /ANTHROPIC|CLAUDE|SANDBOX/.test(name),
    ),
  },
})
const manager = Bun.spawn([MANAGER, '--user', '--unit=basic.target'], {
  env: { ...lab.claude.environment(), ...session },
  stdio: ['ignore', 'ignore', 'ignore'],
})
lab.ending('systemd', async () => {
  killAll(processTree(manager.pid))
  await manager.exited
})
const seen: Record<string, unknown> = {}
const units = join(lab.claude.home, '.config/systemd/user')
let server = ''
let worker = ''
try {
  await until('systemd', async () => (await systemctl('is-active', 'basic.target')) === 'active')
  seen.install = await command('service', 'install')
  ;[server = '', worker = ''] = (seen.install as string).match(/[^/\s]+\.service/g) ?? []
  // As a former program installed it: one unit, whose server has the worker.
  await command('service', 'remove')
  mkdirSync(units, { recursive: true })
  writeFileSync(
    join(units, server),
    `[Service]\nType=exec\nExecStart="${program}" "--home" "${lode.home}" "up"\nEnvironment="PATH=${process.env.PATH}"\nKillMode=mixed\n`,
  )
  await systemctl('daemon-reload')
  await systemctl('start', server)
  const former = await pidOf(server, 0)
  seen.former = await command('service', 'status')
  seen.again = await command('service', 'install')
  const first = await pidOf(server, former)
  const holder = await pidOf(worker, 0)
  seen.started = await command('service', 'status')

  const { task } = JSON.parse(
    await command('task', 'create', 'light it', '--permission-mode', 'bypassPermissions', '--json'),
  )
  await until('the tool call', () => existsSync(join(lab.claude.project, 'begun')))
  const cli = (await shown(task.id)).attempts.at(-1)?.process.pid ?? 0
  process.kill(first, 'SIGKILL')
  const second = await pidOf(server, first)
  seen.afterKill = await command('service', 'status')
  seen.upgrade = await command('upgrade')
  const third = await pidOf(server, second)
  // It has the file that the upgrade brought; the worker that of before, which has no name any more.
  seen.programs = [second, holder, third].map((pid) => (isAlive(pid) ? readlinkSync(`/proc/${pid}/exe`) : null))
  seen.due = await until('the due restart', async () => {
    const said = await command('service', 'status')
    return said.includes('restarts when its run ends') && said
  })
  seen.machines = await command('machine', 'list')
  seen.same = [isAlive(cli), await pidOf(worker, 0)]
  writeFileSync(join(lab.claude.project, 'lit'), '')
  const next = await pidOf(worker, holder)
  seen.nextProgram = readlinkSync(`/proc/${next}/exe`)
  await until('the task', async () => (await shown(task.id)).task.status === 'completed')
  const { task: done, attempts } = await shown(task.id)
  seen.task = { status: done.status, attempts: done.attemptCount, output: done.output }
  seen.goesOn = attempts.length === 1 && attempts[0]?.process.pid === cli && !isAlive(cli)
  seen.pids = { server: [former, first, second, third], worker: [holder, next], cli }
  seen.result = await systemctl('show', '-p', 'Result', '--value', worker)
  await until('the worker to join', async () => (await command('machine', 'list')).includes('online'))

  seen.logs = (await command('service', 'logs')).split('\n').length
  seen.remove = await command('service', 'remove')
  await until('both to be gone', () => !isAlive(third) && !isAlive(next))
  seen.left = readdirSync(units)
  seen.holds =
    seen.goesOn === true &&
    done.attemptCount === 1 &&
    JSON.stringify(seen.programs) === JSON.stringify([null, `${program} (deleted)`, program]) &&
    seen.nextProgram === program &&
    readdirSync(units).length === 0
} catch (error) {
  seen.error = String(error)
}
await lab.stop()
process.stdout.write(`${JSON.stringify(seen, null, 2)}\n`)
process.exit(seen.holds === true ? 0 : 1)

/** This program as an install script brings it, and a folder with the next release: a script that puts the same program there anew. */
function installed(): string {
  const root = join(import.meta.dir, '..')
  run(process.execPath, join(root, 'scripts/build.ts'))
  const from = lab.folder('release')
  const program = join(lab.folder('prefix/share/lodeline/bin'), 'lode')
  copyFileSync(join(root, 'dist/lode'), program)
  copyFileSync(program, join(from, 'lode'))
  writeFileSync(join(lab.root, 'prefix/share/lodeline/installed-by'), `script\n${from}\n`)
  writeFileSync(
    join(from, 'install.sh'),
    `version='99.0.0'\ncp '${from}/lode' '${program}.new' && mv '${program}.new' '${program}'\n`,
  )
  return program
}

/** The manager may make groups below this one. */
function ownGroup(tree: string): void {
  const group = join(tree, 'lodeline-systemd')
  mkdirSync(group, { recursive: true })
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid))
}

function run(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(words)
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr.toString()}`)
}

async function systemctl(...words: string[]): Promise<string> {
  const child = Bun.spawn(['systemctl', '--user', ...words], {
    env: { PATH: process.env.PATH ?? '', ...session },
    stderr: 'ignore',
  })
  return (await new Response(child.stdout).text()).trim()
}

/** The process of a unit that is another one than `before`; of a server once it answers. */
async function pidOf(unit: string, before: number): Promise<number> {
  return await until(unit, async () => {
    const pid = Number(await systemctl('show', '-p', 'MainPID', '--value', unit))
    if (pid === 0 || pid === before) return false
    return (unit !== server || (await lode.lode('status')).stdout.includes('server     http')) && pid
  })
}

async function command(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await lode.lode(...words)
  if (exitCode !== 0) throw new Error(`lode ${words.join(' ')} ended with ${exitCode}: ${stderr}`)
  return stdout.trim()
}

interface Shown {
  task: { status: string; attemptCount: number; output: string | null }
  attempts: { process: { pid: number } }[]
}

async function shown(id: string): Promise<Shown> {
  return JSON.parse(await command('task', 'show', id, '--json'))
}
