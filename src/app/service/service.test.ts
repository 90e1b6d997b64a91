import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../domain/errors'
import { installService, removeService, restartService, type ServiceHost, serviceState } from './service'
import { installParts, partsOf, partsState, removeParts, restartParts } from './service-parts'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let made = 0

/** A system that notes what it is asked and answers as told. */
function host(platform: NodeJS.Platform, answers: (line: string) => { exitCode: number; stdout?: string } | undefined) {
  const userHome = join(folder, `u${made++}`)
  const lines: string[] = []
  const system: ServiceHost = {
    platform,
    env: {
      HOME: userHome,
      PATH: '/opt/a b/bin:/usr/bin',
      CLAUDE_CONFIG_DIR: '/data/claude',
      SECRET_DIR: '/x',
      API_KEY: 'k',
    },
    uid: 501,
    run(command) {
      lines.push(command.join(' '))
      return { exitCode: 0, stdout: '', stderr: '', ...answers(command.join(' ')) }
    },
  }
  return { system, lines, userHome, home: join(userHome, '.lodeline') }
}
const works = () => undefined

describe('on Linux', () => {
  test('a unit of systemd is written, loaded, enabled and started', () => {
    const { system, lines, userHome, home } = host('linux', works)
    const { file, isChanged } = installService(home, system, false)
    expect([file, isChanged]).toEqual([join(userHome, '.config/systemd/user/lodeline.service'), true])
    expect(lines).toEqual([
      'systemctl --user show-environment',
      'systemctl --user daemon-reload',
      'systemctl --user enable --now lodeline.service',
    ])
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^ExecStart="\/.*\/bin\/lode" "up" "--no-worker"$/m)
    expect(text).toContain(
      'Environment="PATH=/opt/a b/bin:/usr/bin"\nEnvironment="CLAUDE_CONFIG_DIR=/data/claude"\nRestart=on-failure',
    )
    expect(text).not.toMatch(/SECRET_DIR|API_KEY/)
  })
  test('twice is harmless: the second time writes nothing', () => {
    const { system, home } = host('linux', works)
    const first = installService(home, system, false)
    writeFileSync(join(home, '..', 'mark'), '')
    expect(installService(home, system, false)).toEqual({
      ...first,
      isChanged: false,
      commands: ['systemctl --user enable --now lodeline.service'],
    })
  })
  test('removing it leaves no trace, and without one it does nothing', () => {
    const { system, lines, home } = host('linux', works)
    const { file } = installService(home, system, false)
    lines.length = 0
    expect(removeService(home, system, false)).toMatchObject({ isChanged: true })
    expect(existsSync(file)).toBe(false)
    expect(lines).toEqual([
      'systemctl --user disable --now lodeline.service',
      'systemctl --user daemon-reload',
      'systemctl --user reset-failed lodeline.service',
    ])
    lines.length = 0
    expect([removeService(home, system, false).isChanged, lines]).toEqual([false, []])
  })
  test('a dry run writes and calls nothing, and says what it would do', () => {
    const { system, lines, userHome, home } = host('linux', works)
    const would = installService(home, system, true)
    expect(would.commands).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now lodeline.service'])
    expect([lines, existsSync(userHome)]).toEqual([[], false])
    const { file } = installService(home, system, false)
    lines.length = 0
    expect(removeService(home, system, true).commands).toHaveLength(3)
    expect([lines, existsSync(file)]).toEqual([[], true])
  })
  test('without systemd nothing is written, and it is said how to start by hand', () => {
    const { system, userHome, home } = host('linux', () => ({ exitCode: 1, stderr: 'Failed to connect to bus' }))
    const thrown = (() => {
      try {
        installService(home, system, false)
      } catch (error) {
        return error
      }
    })()
    expect(thrown).toBeInstanceOf(AppError)
    expect(thrown).toMatchObject({ code: 'unavailable', hint: expect.stringMatching(/nohup .*bin\/lode up/) })
    expect(existsSync(userHome)).toBe(false)
  })
  test('its state is what systemd says of it', () => {
    const { system, home } = host('linux', (line) =>
      line.includes('MainPID') ? { exitCode: 0, stdout: 'MainPID=77\n' } : undefined,
    )
    expect(serviceState(home, system)).toMatchObject({ isInstalled: false, pid: null, isAvailable: true })
    const { file } = installService(home, system, false)
    expect(serviceState(home, system)).toMatchObject({ isInstalled: true, isCurrent: true, pid: 77 })
    writeFileSync(file, '[Unit]\n')
    expect(serviceState(home, system)).toMatchObject({ isInstalled: true, isCurrent: false })
  })
  test('another folder has a service of its own, which names it', () => {
    const { system, userHome, home } = host('linux', works)
    const other = join(userHome, "it's 100% mine")
    installService(home, system, false)
    const { file, text } = installService(other, system, false)
    expect(text).toContain(`"--home" "${other.replace('%', '%%')}" "up"`)
    removeService(home, system, false)
    expect(
      readdirSync(join(userHome, '.config/systemd/user')).map((name) => join(userHome, '.config/systemd/user', name)),
    ).toEqual([file])
  })
  test('a restart that fails says why', () => {
    const { system, home } = host('linux', (line) =>
      line.includes(' restart ') ? { exitCode: 5, stderr: 'Unit not found.\nmore' } : undefined,
    )
    expect(() => restartService(home, system)).toThrow('No such service is installed here.')
    installService(home, system, false)
    expect(() => restartService(home, system)).toThrow('restart lodeline.service failed: Unit not found.')
  })
})

describe('a server and its worker', () => {
  /** A system on which both run. */
  const running = () =>
    host('linux', (line) => (line.includes('MainPID') ? { exitCode: 0, stdout: 'MainPID=77\n' } : undefined))
  const restarts = (lines: string[]) => lines.filter((line) => / restart /.test(line))
  const mark = (home: string) => join(home, 'workers/restart-runs')

  test('are two units, and the worker ends before its server', () => {
    const { system, lines, home } = host('linux', works)
    const { file, worker } = installParts(home, system, false, partsOf(false))
    expect([basename(file), basename(worker?.file ?? '')]).toEqual(['lodeline.service', 'lodeline-runs.service'])
    expect(worker?.text).toMatch(/^After=lodeline\.service$/m)
    expect(worker?.text).toMatch(/"work" "--as-service"\n(.*\n)*Restart=always/)
    lines.length = 0
    removeParts(home, system, false, partsOf(false))
    expect(lines.filter((line) => line.includes('disable'))).toEqual([
      'systemctl --user disable --now lodeline-runs.service',
      'systemctl --user disable --now lodeline.service',
    ])
    expect(readdirSync(dirname(file))).toEqual([])
  })
  test('restart apart: the server at once, the worker when nothing runs, unless it is to end its runs', () => {
    const { system, lines, home } = running()
    installParts(home, system, false, partsOf(false))
    lines.length = 0
    expect(restartParts(home, system, partsOf(false))).toBe('when idle')
    expect(restarts(lines)).toEqual(['systemctl --user restart lodeline.service'])
    expect(existsSync(mark(home))).toBe(true)
    lines.length = 0
    expect(restartParts(home, system, partsOf(false), true)).toBe('restarted')
    expect(restarts(lines)).toHaveLength(2)
  })
  test('a worker that does not run is started', () => {
    const { system, lines, home } = host('linux', works)
    installParts(home, system, false, partsOf(false))
    lines.length = 0
    expect(restartParts(home, system, partsOf(false))).toBe('restarted')
    expect([restarts(lines).length, existsSync(mark(home))]).toEqual([2, false])
  })
  test('come in the place of one unit of a former program, which ends its runs once', () => {
    const { system, lines, home } = running()
    const { file, text } = installService(home, system, false)
    writeFileSync(file, text.replace(' "--no-worker"', ''))
    lines.length = 0
    // It is one part still: nothing waits for a worker that is not there.
    expect(restartParts(home, system, partsOf(false))).toBe('restarted')
    const again = installParts(home, system, false, partsOf(false))
    expect([again.isChanged, again.worker?.isChanged]).toEqual([true, true])
    expect(again.commands).toContain('systemctl --user restart lodeline.service')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
  test('with another search path are brought to it without ending a run', () => {
    const { system, lines, home } = running()
    installParts(home, system, false, partsOf(false))
    lines.length = 0
    const changed = { ...system, env: { ...system.env, PATH: '/other' } }
    installParts(home, changed, false, partsOf(false))
    expect(restarts(lines)).toEqual(['systemctl --user restart lodeline.service'])
    expect(existsSync(mark(home))).toBe(true)
  })
  test('a worker for a server elsewhere that a former program installed ends its runs, which is not put off', () => {
    const { system, home } = running()
    const elsewhere = { main: { kind: 'worker', words: ['--server', 'https://x.example'] }, runs: null } as const
    const { file, text } = installParts(home, system, false, elsewhere)
    expect(partsState(home, system, partsOf(true))).toMatchObject({ isCurrent: true, worker: null })
    expect(restartParts(home, system, partsOf(true))).toBe('when idle')
    writeFileSync(file, text.replace(' "--as-service"', ''))
    expect(partsState(home, system, partsOf(true))).toMatchObject({ isCurrent: false })
    expect(restartParts(home, system, partsOf(true))).toBe('restarted')
  })
})

describe('on macOS', () => {
  test('an agent of launchd is written and loaded anew', () => {
    const { system, lines, userHome, home } = host('darwin', works)
    const { file, text } = installService(home, system, false)
    expect(file).toBe(join(userHome, 'Library/LaunchAgents/dev.lodeline.lodeline.plist'))
    expect(lines).toEqual([
      'launchctl print gui/501',
      'launchctl bootout gui/501/dev.lodeline.lodeline',
      `launchctl bootstrap gui/501 ${file}`,
    ])
    expect(text).toContain('<key>RunAtLoad</key><true/>')
    expect(text).toContain('<key>CLAUDE_CONFIG_DIR</key><string>/data/claude</string>')
  })
  test('twice is harmless: what is loaded is not loaded again', () => {
    const { system, lines, home } = host('darwin', (line) =>
      line.includes('/dev.lodeline') ? { exitCode: 0, stdout: '\tpid = 41\n' } : undefined,
    )
    installService(home, system, false)
    lines.length = 0
    expect(installService(home, system, false).isChanged).toBe(false)
    expect(lines).toEqual(['launchctl print gui/501', 'launchctl print gui/501/dev.lodeline.lodeline'])
    expect(serviceState(home, system).pid).toBe(41)
  })
})

describe('on Windows', () => {
  test('a task of the scheduler starts at login', () => {
    const { system, lines, userHome } = host('win32', works)
    const home = join(userHome, 'R&D')
    const { file, text } = installService(home, system, false)
    expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]))
    expect(text).toContain('<LogonTrigger>')
    expect(text).toContain('R&amp;D up --no-worker</Arguments>')
    expect(lines[1]).toStartWith('schtasks.exe /Create /TN lodeline-')
    removeService(home, system, false)
    expect(readdirSync(home)).toEqual([])
  })
})

test.each([
  ['darwin', '<key>KeepAlive</key><true/>', ['kickstart', 'bootstrap']],
  ['win32', '<TimeTrigger>', ['/Run', '/Create']],
] as const)(
  'on %s, too, the worker is started again after it has ended well, and restarts by itself',
  (platform, policy, [again, load]) => {
    const { system, lines, home } = host(platform, (line) =>
      line.includes('dev.lodeline') ? { exitCode: 0, stdout: '\tpid = 41\n' } : undefined,
    )
    const { text, worker } = installParts(home, system, false, partsOf(false))
    expect([text.includes(policy), worker?.text.includes(policy)]).toEqual([false, true])
    expect(worker?.text).toMatch(/work<\/string>\s*<string>--as-service<|work --as-service</)
    expect(lines.filter((line) => line.includes(load))).toHaveLength(2)
    lines.length = 0
    expect(restartParts(home, system, partsOf(false))).toBe('when idle')
    expect(lines.filter((line) => line.includes(again))).toHaveLength(1)
    removeParts(home, system, false, partsOf(false))
    expect([existsSync(worker?.file ?? ''), existsSync(join(home, 'workers/restart-runs'))]).toEqual([false, false])
  },
)

test('on other systems it is said how to start by hand', () => {
  const { system, home } = host('freebsd', works)
  expect(() => installService(home, system, false)).toThrow('freebsd')
})
