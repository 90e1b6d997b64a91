/** A machine comes into the fleet by a real ssh server, works, gets a new program, and leaves. */
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLab } from '../lab/lab'
import { until } from '../lab/until'
import { LODE_WORDS } from '../lode-command'
import { startSshd } from './sshd'

/** What starts services here: it reads the unit, runs it again whenever it has ended well, and ends it by its pid. */
const SYSTEMCTL = `#!/bin/sh
unit=$HOME/.config/systemd/user/lodeline-worker.service
pid=$HOME/service.pid
start() {
  line=$(sed -n 's/^ExecStart=//p' "$unit")
  cat > "$HOME/serve" <<END
echo \\$\\$ > $HOME/serve.pid
while :; do
  $line >>$HOME/service.log 2>&1 < /dev/null &
  echo \\$! > $pid
  wait \\$! || exit
done
END
  setsid sh "$HOME/serve" </dev/null >/dev/null 2>&1 &
  while [ ! -s "$pid" ]; do sleep 0.1; done
}
end() { [ -e "$pid" ] && kill "$(cat "$HOME/serve.pid")" "$(cat "$pid")" && while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.1; done; rm -f "$pid"; }
case "$*" in
  *enable*) [ -e "$pid" ] || start ;;
  *disable*) end ;;
  *restart*) end; start ;;
  *MainPID*) [ -e "$pid" ] && echo "MainPID=$(cat "$pid")" ;;
esac
exit 0
`

/** A tool call that ends when the test says so, and tasks that end at once. */
const SCRIPT = [
  { name: 'title', match: { who: 'aux' }, steps: [{ text: 'A title' }] },
  {
    name: 'long',
    match: { who: 'main', first: 'light the lamp' },
    steps: [
      { tools: [{ name: 'Bash', input: { command: 'echo >> begun; while [ ! -e lit ]; do sleep 0.1; done' } }] },
      { text: 'The lamp is lit.' },
    ],
  },
  { name: 'short', match: { who: 'main' }, steps: [{ text: 'Hello.' }] },
]

test('a machine is added by ssh, works, is drained, gets a new program and is removed; failures leave no access', async () => {
  await using lab = await openLab({
    claude: { version: '2.1.328', script: SCRIPT },
    lode: { settings: { 'worker.enabled': false } },
    server: true,
  })
  const { lode, tasks } = lab
  const bin = join(lab.root, 'services')
  mkdirSync(bin)
  await using there = await startSshd(join(lab.root, 'there'), [bin])
  // What a person would have installed and set there.
  const remoteHome = join(there.home, '.lodeline')
  mkdirSync(remoteHome, { mode: 0o700 })
  const settings = JSON.parse(readFileSync(join(lode.home, 'config.yaml'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(remoteHome, 'config.yaml'), JSON.stringify({ ...settings, 'worker.enabled': true }))
  const environment: Record<string, string> = { ...lab.claude.environment(), HOME: there.home }
  const exported = Object.entries({ ...environment, PATH: `${bin}:${environment.PATH}` }).map(
    ([name, value]) => `export ${name}='${value}'`,
  )
  const program = join(lab.root, 'lode-there')
  const write = (mark: string): void => {
    writeFileSync(program, ['#!/bin/sh', `# ${mark}`, ...exported, `exec ${LODE_WORDS} "$@"`, ''].join('\n'))
    chmodSync(program, 0o755)
  }
  write('first')
  const ssh = ['--port', String(there.port), '--identity', there.identity, '--executable', program]
  const add = ['machine', 'add', there.destination, ...ssh, '--name', 'builder']
  const workersNow = async () =>
    (await lode.json<{ workers: { name: string; state: string }[] }>('worker', 'list')).workers

  expect((await lode.lode('machine', 'add', '--', '-oProxyCommand=touch x')).exitCode).toBe(2)
  // Other machines can't reach loopback.
  expect((await lode.lode(...add)).stderr).toContain("which other machines can't reach")
  const reachable = [...add, '--reach', lode.url]
  const unknown = await lode.lode(...reachable)
  expect(unknown.stderr).toContain(`It shows ${there.fingerprint}`)
  expect((await lode.lode(...reachable, '--host-key', 'SHA256:other')).stderr).toContain('shows other host keys')
  expect(existsSync(join(there.home, '.local'))).toBe(false)
  const known = ['--host-key', there.fingerprint]

  // It does not reach the server: the access that it was about to get is ended.
  const cut = await lode.lode(...add, '--reach', 'http://127.0.0.1:9', ...known)
  expect(cut.exitCode).not.toBe(0)
  expect(cut.stderr).toContain('did not get its access')
  expect((await workersNow()).filter(({ state }) => state === 'active' || state === 'waiting')).toEqual([])
  expect(existsSync(join(remoteHome, 'worker-tokens'))).toBe(false)

  // Without services it says how to start the worker; with them the worker is there.
  const byHand = await lode.json<{ startWith: string; isEnrolled: boolean }>(...reachable)
  expect(byHand).toMatchObject({ isEnrolled: true, service: null, startWith: expect.stringContaining('nohup') })
  writeFileSync(join(bin, 'systemctl'), SYSTEMCTL, { mode: 0o755 })
  const service = await lode.json(...reachable)
  expect(service).toMatchObject({ isCopied: false, isEnrolled: false, service: 'service', startWith: null })
  const servicePid = () => Number(readFileSync(join(there.home, 'service.pid'), 'utf8'))
  try {
    expect(await lode.json(...reachable)).toMatchObject({ isCopied: false, isEnrolled: false })
    const [machine] = (await lode.json<{ machines: { name: string; machine: { cores: number } }[] }>('machine', 'list'))
      .machines
    expect(machine).toMatchObject({ name: 'builder', status: 'online', drainingSince: null })
    const cores = machine?.machine.cores ?? 0

    // It takes a task that asks for what it has, and none that asks for more.
    const fit = await tasks.create('say hello', { requiredCapabilities: [`cores>=${cores}`] })
    const unfit = await tasks.create('say hello', { requiredCapabilities: [`cores>=${cores + 1}`] })
    await tasks.reached(fit.id, 'completed')
    expect((await tasks.newest(fit.id)).agentName).toBe('builder')
    const long = await tasks.create('light the lamp')
    await until('the tool call', () => existsSync(join(lab.claude.project, 'begun')))
    await lode.json('machine', 'drain', 'builder')
    const waiting = await tasks.create('say hello')
    const before = servicePid()
    expect(await lode.json('machine', 'upgrade', 'builder', '--executable', program)).toMatchObject({ isCopied: false })
    write('second')
    expect(await lode.json('machine', 'upgrade', 'builder', '--executable', program)).toMatchObject({
      isCopied: true,
      isRestarted: true,
      isAwaited: true,
    })
    // The new program ends no run: its worker restarts when there is none.
    const shown = async () =>
      (await lode.json<{ machine: { status: string; restartAskedAt: string | null } }>('machine', 'show', 'builder'))
        .machine
    await until('the restart to be due', async () => (await shown()).restartAskedAt !== null)
    expect(servicePid()).toBe(before)
    writeFileSync(join(lab.claude.project, 'lit'), '')
    await tasks.reached(long.id, 'completed')
    expect((await tasks.get(long.id)).attemptCount).toBe(1)
    // It drains over a restart.
    await until('the worker is back', async () => {
      const { status, restartAskedAt } = await shown()
      return servicePid() !== before && status === 'online' && restartAskedAt === null
    })
    expect((await tasks.get(waiting.id)).status).toBe('unassigned')
    await lode.json('machine', 'resume', 'builder')
    await tasks.reached(waiting.id, 'completed')
    expect((await tasks.get(unfit.id)).status).toBe('unassigned')

    await lode.json('machine', 'remove', 'builder')
    expect((await lode.json<{ machines: unknown[] }>('machine', 'list')).machines).toEqual([])
    await until('the worker ends', () => {
      try {
        process.kill(servicePid(), 0)
        return false
      } catch {
        return true
      }
    })
  } finally {
    try {
      process.kill(servicePid(), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  expect(readdirSync(join(there.home, '.local/share/lodeline/bin'))).toEqual(['lode'])
  rmSync(there.home, { recursive: true })
})
