import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { AppError, isAppError } from '../../domain/errors'
import { type IssueId, issueId } from '../../domain/ids'
import { MINUTE_MS } from '../../domain/time-units'
import type { Asked, IssueKeeper, KeeperChange } from '../../engine/issues/kept/issue-keeper'
import { projectOf } from '../../util/git/git-project'
import { type BdCommand, changesOf, created, createdId, creationOf, deletionOf, refuseUnsupported } from './bd-commands'
import { type FoundBd, findBd, safeFolders } from './find-bd'
import { type BdAnswer, failureText, jsonIn, runBd } from './run-bd'

/** The first release with the commands that are used here. */
const OLDEST = '1.0.0'
/** The part of the environment that bd needs: where its own settings and git's are, and how it reads times and texts. */
const KEPT = ['HOME', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME', 'LANG', 'LC_ALL', 'TZ']

export interface BdKeeperOptions {
  /** The `.beads` folder, absolute, links resolved. */
  beads: string
  /** This process's environment. */
  env: Readonly<Record<string, string | undefined>>
  limits?: Partial<BdLimits>
}

/** Milliseconds and bytes. */
export interface BdLimits {
  readMs: number
  writeMs: number
  /** How large an export may be. */
  exportBytes: number
  /** What was read counts as all there is for this long, where nothing tells that the database was written… */
  freshMs: number
  /** … and for this long, where that can be seen. */
  watchedMs: number
  /** A bd that failed is not asked again for this long, but by a command that changes something. */
  downMs: number
}

const LIMITS: BdLimits = {
  readMs: 15_000,
  writeMs: 30_000,
  exportBytes: 256_000_000,
  freshMs: 3_000,
  watchedMs: MINUTE_MS,
  downMs: 10_000,
}
/** Bytes of any other answer. */
const ANSWER_BYTES = 4_000_000

/** Releases by program: one that was asked once is not asked again until its file is another one. */
const releases = new Map<string, Promise<string>>()

/** Issues that bd keeps in a database, read and changed by running it. */
export function createBdKeeper(options: BdKeeperOptions): IssueKeeper {
  return new BdKeeper(options)
}

class BdKeeper implements IssueKeeper {
  private readonly beads: string
  private readonly project: string
  private readonly env: BdKeeperOptions['env']
  private readonly limits: BdLimits
  private lastRead: { at: number; database: string | null } | null = null
  private lastFailure: { at: number; error: AppError } | null = null

  constructor({ beads, env, limits }: BdKeeperOptions) {
    this.beads = beads
    this.project = dirname(beads)
    this.env = env
    this.limits = { ...LIMITS, ...limits }
  }

  isFresh(isCertain = false): boolean {
    if (this.lastRead === null) return false
    const { at, database } = this.lastRead
    const age = performance.now() - at
    if (database === null) return !isCertain && age < this.limits.freshMs
    return age < this.limits.watchedMs && database === databaseState(this.beads)
  }

  isDown(): boolean {
    return this.lastFailure !== null && performance.now() - this.lastFailure.at < this.limits.downMs
  }

  async read(isForced: boolean): Promise<string> {
    if (!isForced && this.lastFailure !== null && this.isDown()) throw this.lastFailure.error
    try {
      const before = databaseState(this.beads)
      const text = await this.readNow()
      const after = databaseState(this.beads)
      // Written while it was read, by any program: what was read may be old already.
      this.lastRead = { at: performance.now(), database: before === after ? after : null }
      this.lastFailure = null
      return text
    } catch (error) {
      this.lastRead = null
      const failure = isAppError(error) ? error : new AppError('unavailable', `bd failed: ${String(error)}`)
      this.lastFailure = { at: performance.now(), error: failure }
      throw failure
    }
  }

  private async readNow(): Promise<string> {
    // What bd itself shares of a project; it never writes then, and never pushes or pulls.
    const answer = await this.run(['export', '--readonly', '--sandbox'], this.limits.readMs, this.limits.exportBytes)
    if (answer.code !== 0) throw new AppError('unavailable', `bd export failed: ${failureText(answer)}`)
    const line = answer.stdout.split('\n', 1)[0]?.trim() ?? ''
    const first = line === '' ? { id: '' } : jsonIn(line)
    if (typeof first !== 'object' || first === null || !('id' in first || '_type' in first || '_schema' in first))
      throw new AppError('unavailable', `bd export returned a line that is not an issue: ${line.slice(0, 100)}`)
    return answer.stdout
  }

  async write(changes: readonly KeeperChange[], asked: Asked, actor: string): Promise<Map<IssueId, IssueId>> {
    for (const change of changes) refuseUnsupported(change, asked)
    const ids = new Map<IssueId, IssueId>()
    const idOf = (id: string): string => ids.get(id as IssueId) ?? id
    const done: string[] = []
    const run = async (command: BdCommand): Promise<unknown> => {
      const answer = await this.change(command, actor, done)
      done.push([command.args[0], ...command.operands].join(' '))
      return answer
    }
    this.lastRead = null
    for (const { before, after } of changes) {
      if (before !== null) continue
      const answer = await run(creationOf(after, asked, idOf))
      const id = createdId(answer)
      if (id === null)
        throw new AppError('unavailable', 'bd create did not return the ID of an issue.', { details: { done } })
      ids.set(after.id, issueId(id))
      done[done.length - 1] = `create ${id}`
    }
    for (const { before, after, isDeleted } of changes) {
      if (isDeleted) continue
      for (const command of changesOf(before ?? created(after, asked), after, asked, actor, idOf)) await run(command)
    }
    const deleted = changes.filter(({ isDeleted }) => isDeleted).map(({ after }) => after.id)
    if (deleted.length > 0) await run(deletionOf(deleted))
    return ids
  }

  private async change(command: BdCommand, actor: string, done: readonly string[]): Promise<unknown> {
    const { args, file, stdin, operands } = command
    const folder = file === undefined ? null : mkdtempSync(join(tmpdir(), 'lode-bd-'))
    try {
      const flags = ['--json', '--sandbox', `--actor=${actor}`]
      if (file !== undefined && folder !== null) {
        writeFileSync(join(folder, 'text'), file.text, { mode: 0o600 })
        flags.push(`${file.flag}=${join(folder, 'text')}`)
      }
      const argv = [...args, ...flags, '--', ...operands]
      const answer = await this.run(argv, this.limits.writeMs, ANSWER_BYTES, stdin)
      if (answer.code !== 0)
        throw new AppError('conflict', `bd ${commandName(args)} failed: ${failureText(answer)}${after(done)}`, {
          hint: 'bd keeps these issues and rejected the command. Run `bd show` to see the current state of an issue.',
          details: { done: [...done] },
        })
      return jsonIn(answer.stdout)
    } catch (error) {
      if (!isAppError(error) || error.code === 'conflict') throw error
      throw new AppError(error.code, `${error.message}${after(done)}`, {
        hint: 'bd may have made the change nevertheless. Check with `lode issue show` before you try again.',
        details: { done: [...done] },
        cause: error,
      })
    } finally {
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
    }
  }

  private async run(args: string[], limitMs: number, limitBytes: number, stdin?: string): Promise<BdAnswer> {
    const found = this.find()
    const release = await this.releaseOf(found)
    if (!isRecent(release))
      throw new AppError('unavailable', `${found.path} is release ${release}; lode requires ${OLDEST} or later.`)
    const env = { ...this.environment(), BEADS_DIR: this.beads }
    return await runBd({ program: found.path, args, cwd: this.project, env, stdin, limitMs, limitBytes })
  }

  /** Looked for at every call: it may be installed, or gone, since the last one. */
  private find(): FoundBd {
    const found = findBd(this.env.PATH, projectOf(this.project).root)
    if (found !== null) return found
    throw new AppError('unavailable', 'bd was not found on the PATH of this process, outside the project itself.')
  }

  /** Asked outside of every project, so that none has a say in it. */
  private releaseOf({ path, stamp }: FoundBd): Promise<string> {
    const known = releases.get(stamp)
    if (known !== undefined) return known
    const asked = this.askRelease(path)
    releases.set(stamp, asked)
    asked.catch(() => releases.delete(stamp))
    return asked
  }

  private async askRelease(program: string): Promise<string> {
    const env = this.environment()
    const args = ['version', '--json']
    const answer = await runBd({ program, args, cwd: '/', env, limitMs: this.limits.readMs, limitBytes: ANSWER_BYTES })
    const value = answer.code === 0 ? jsonIn(answer.stdout) : undefined
    const { version } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
    if (typeof version === 'string' && /^v?\d{1,6}\.\d{1,6}\.\d{1,6}/.test(version))
      return version.replace(/^v/, '').slice(0, 50)
    throw new AppError('unavailable', `${program} did not report its release of bd: ${failureText(answer)}`)
  }

  private environment(): Record<string, string> {
    const env: Record<string, string> = { BD_NON_INTERACTIVE: '1', GIT_TERMINAL_PROMPT: '0', NO_COLOR: '1' }
    for (const name of KEPT) {
      const value = this.env[name]
      if (value !== undefined) env[name] = value
    }
    env.PATH = safeFolders(this.env.PATH, projectOf(this.project).root).join(delimiter)
    return env
  }
}

const commandName = (args: readonly string[]): string =>
  args
    .slice(0, 2)
    .filter((arg) => !arg.startsWith('-'))
    .join(' ')

const after = (done: readonly string[]): string => (done.length === 0 ? '' : `; done before that: ${done.join(', ')}`)

function isRecent(release: string): boolean {
  const numbers = (text: string) => text.split(/[.+-]/, 3).map(Number)
  const [is, least] = [numbers(release), numbers(OLDEST)]
  for (const [at, number] of least.entries()) if ((is[at] ?? 0) !== number) return (is[at] ?? 0) > number
  return true
}

/** How the files of an embedded database are; `null` = there are none here. Every commit writes one of them. */
function databaseState(beads: string): string | null {
  const state = new Bun.CryptoHasher('sha256')
  let count = 0
  for (const root of ['embeddeddolt', 'dolt'])
    for (const database of namesIn(join(beads, root)))
      for (const name of namesIn(join(beads, root, database, '.dolt', 'noms'))) {
        const found = statSync(join(beads, root, database, '.dolt', 'noms', name), { throwIfNoEntry: false })
        if (found === undefined || !found.isFile() || name === 'LOCK') continue
        state.update(`${root}/${database}/${name} ${found.size} ${found.mtimeMs}\n`)
        count++
      }
  return count === 0 ? null : state.digest('hex')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort().slice(0, 1_000)
  } catch {
    return []
  }
}
