import { readFile, readlink } from 'node:fs/promises'

/** When a process began: together with its pid this names it for as long as the machine runs. */
export interface ProcessStart {
  /** As the system counts it: clock ticks since boot on Linux, a date on macOS. */
  text: string
  /** Milliseconds since the epoch, exact to about a second; `null` = not known. */
  at: number | null
}

/** The processes of this machine, read only. */
export interface ProcessTable {
  /** `null` = no such process (or one that has ended and was not waited for yet). */
  findStart(pid: number): Promise<ProcessStart | null>
  /** How a `pidDomain` ends within which our pids mean something: this machine and its space of pids; `null` = not known. */
  findDomain(): Promise<string | null>
}

export const systemProcesses: ProcessTable = {
  findStart: (pid) => (process.platform === 'linux' ? findLinuxStart(pid) : findStartByPs(pid)),
  async findDomain() {
    const space = await readlink('/proc/self/ns/pid').catch(() => null)
    const machine = await readFile('/etc/machine-id', 'utf8').catch(() => '')
    // The first space of pids has the same number on every machine.
    return space === null || machine.trim() === '' ? space : `${machine.trim()}:${space}`
  },
}

/** The kernel's unit in /proc, whatever its timer runs at. */
const TICKS_PER_SECOND = 100

async function findLinuxStart(pid: number): Promise<ProcessStart | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // The second field is the program's name in brackets, which may hold anything, brackets and spaces included.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, ticks] = [fields[0], fields[19]]
  if (state === undefined || ticks === undefined || 'ZXx'.includes(state)) return null
  const uptime = await readFile('/proc/uptime', 'utf8').catch(() => '')
  const secondsUp = Number.parseFloat(uptime)
  const at = Number.isFinite(secondsUp)
    ? Date.now() - secondsUp * 1_000 + (Number(ticks) / TICKS_PER_SECOND) * 1_000
    : null
  return { text: ticks, at }
}

async function findStartByPs(pid: number): Promise<ProcessStart | null> {
  const child = Bun.spawn(['ps', '-o', 'state=,lstart=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const line = (await new Response(child.stdout).text()).trim()
  await child.exited
  const match = /^(\S+)\s+(.+)$/.exec(line)
  if (match === null || match[1]?.startsWith('Z')) return null
  const text = match[2] ?? ''
  const at = Date.parse(text)
  return { text, at: Number.isNaN(at) ? null : at }
}
