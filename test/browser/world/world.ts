/** A world to look at: what the real CLI did with a scripted model, as the server has it. Parts come about when they are asked for. */
import type { Client } from '../../../src/api/client'
import type { SessionId } from '../../../src/domain/ids'
import type { Claude } from '../../lab/claude'
import type { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { type Ground, type GroundOptions, layGround } from './world-ground'
import { addHostile, type WorldHostile } from './world-hostile'
import { makeIssues, type WorldIssues } from './world-issues'
import { makeMail, type WorldMail } from './world-mail'
import { addRecordings, type RecordingName } from './world-recordings'
import { makeSession, SESSION_NAMES, type SessionName } from './world-sessions'
import { makeTasks, type WorldTasks } from './world-tasks'

/** All that there is, by what it is called. */
export interface Everything {
  sessions: Record<SessionName, SessionId>
  recordings: Record<RecordingName, SessionId>
  tasks: WorldTasks
  issues: WorldIssues
  mail: WorldMail
}

export class World {
  readonly claude: Claude
  readonly server: Lode
  readonly client: Client
  private readonly ground: Ground
  private readonly lab: Lab
  private readonly parts = new Map<string, Promise<unknown>>()

  private constructor({ lab, ...ground }: Ground & { lab: Lab }) {
    this.lab = lab
    this.ground = ground
    this.claude = ground.claude
    this.server = ground.server
    this.client = ground.client
  }

  /** Surroundings in which nothing has happened yet. */
  static async start(options: GroundOptions = {}): Promise<World> {
    return new World(await layGround(options))
  }

  session(name: SessionName): Promise<SessionId> {
    return this.once(`session ${name}`, () => makeSession(this.ground, name))
  }

  recordings(): Promise<Record<RecordingName, SessionId>> {
    return this.once('recordings', () => addRecordings(this.ground))
  }

  tasks(): Promise<WorldTasks> {
    return this.once('tasks', () => makeTasks(this.ground))
  }

  issues(): Promise<WorldIssues> {
    return this.once('issues', () => makeIssues(this.ground))
  }

  /** Needs the tasks. */
  mail(): Promise<WorldMail> {
    return this.once('mail', async () => makeMail(this.ground, await this.tasks()))
  }

  /** Texts that would do harm where a page believed them. Not a part of `everything`. */
  hostile(): Promise<WorldHostile> {
    return this.once('hostile', () => addHostile(this.ground))
  }

  /** All but the hostile texts. */
  async everything(): Promise<Everything> {
    const named = async (name: SessionName): Promise<[SessionName, SessionId]> => [name, await this.session(name)]
    const [sessions, recordings, tasks, issues, mail] = await Promise.all([
      Promise.all(SESSION_NAMES.map(named)),
      this.recordings(),
      this.tasks(),
      this.issues(),
      this.mail(),
    ])
    return { sessions: Object.fromEntries(sessions) as Everything['sessions'], recordings, tasks, issues, mail }
  }

  /** Ends all that runs, removes all files. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.parts.values())
    await this.lab.stop()
  }

  private once<T>(part: string, make: () => Promise<T>): Promise<T> {
    const made = this.parts.get(part) ?? make()
    this.parts.set(part, made)
    return made as Promise<T>
  }
}
