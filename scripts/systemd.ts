/**
 * Tries `lode service` with a real systemd for a user: `npm run systemd`. Prints JSON of what was seen; exits 1 when something did not hold.
 *
 * Needs root on Linux and Debian's `systemd`; it need not be the machine's init. In a mount space of its own it makes the folder by which
 * systemd sees that it was booted, and starts one manager for an empty home. A task is at work while the server is killed, and while the
 * service restarts. It is no test of `npm test`: most machines can't run it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

const lab = await openLab({ claude: { version: '2.1.330', script: 'worker' } })
const runtime = lab.folder('run')
const session = { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtime}/bus` }
const lode = lab.addLode('l', {
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
let unit = ''
try {
  await until('systemd', async () => (await systemctl('is-active', 'basic.target')) === 'active')
  seen.install = await command('service', 'install')
  unit = /[^/\s]+\.service/.exec(seen.install as string)?.[0] ?? ''
  const first = await serverPid(0)
  seen.started = await command('service', 'status')

  const { task } = JSON.parse(
    await command('task', 'create', 'work briefly', '--permission-mode', 'bypassPermissions', '--json'),
  )
  await until('the run', async () => (await shownTask(task.id)).status === 'in_progress')
  const conversation = await until('its conversation', async () => {
    const { claudeSessionId: id } = await shownTask(task.id)
    const path = lab.claude.transcript(id ?? 'none')
    return existsSync(path) && readFileSync(path, 'utf8').includes('tool_use') && id
  })
  process.kill(first, 'SIGKILL')
  const second = await serverPid(first)
  seen.afterKill = await command('service', 'status')
  seen.restart = await command('service', 'restart')
  const third = await serverPid(second)
  seen.pids = [first, second, third]
  await until('the task', async () => (await shownTask(task.id)).status === 'completed', 60_000)
  const { attemptCount, claudeSessionId } = await shownTask(task.id)
  seen.attempts = attemptCount
  seen.goesOn = claudeSessionId === conversation

  seen.logs = (await command('service', 'logs')).split('\n').length
  seen.remove = await command('service', 'remove')
  await until('the server to be gone', () => !isAlive(third))
  const units = join(lab.claude.home, '.config/systemd/user')
  seen.left = readdirSync(units)
  seen.holds = seen.goesOn === true && readdirSync(units).length === 0
} catch (error) {
  seen.error = String(error)
}
await lab.stop()
process.stdout.write(`${JSON.stringify(seen, null, 2)}\n`)
process.exit(seen.holds === true ? 0 : 1)

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

/** The server that the service runs, once it answers and is another one than `before`. */
async function serverPid(before: number): Promise<number> {
  return await until('the server', async () => {
    const pid = Number(await systemctl('show', '-p', 'MainPID', '--value', unit))
    const { stdout } = await lode.lode('status')
    return pid !== 0 && pid !== before && stdout.includes('server     http') && pid
  })
}

async function command(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await lode.lode(...words)
  if (exitCode !== 0) throw new Error(`lode ${words.join(' ')} ended with ${exitCode}: ${stderr}`)
  return stdout.trim()
}

async function shownTask(
  id: string,
): Promise<{ status: string; attemptCount: number; claudeSessionId: string | null }> {
  return JSON.parse(await command('task', 'show', id, '--json')).task
}
