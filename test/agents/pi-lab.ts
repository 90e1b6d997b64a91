/** Lodeline as a person runs it, whose tasks the real Pi works on. */
import type { Inputs } from '../../src/api/contract/operations'
import { type Attempt, FINAL_TASK_STATUSES, type Question, type Task } from '../../src/domain/task/task'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import type { DatabaseKind } from '../store-contract/databases'
import { Pi } from './pi'
import type { ChatScripts } from './scripted-chat'

export interface PiLabOptions {
  database: DatabaseKind
  scripts: ChatScripts
  settings?: Record<string, unknown>
}

export class PiLab {
  readonly lab: Lab
  readonly pi: Pi
  readonly lode: Lode

  private constructor(lab: Lab, pi: Pi, lode: Lode) {
    this.lab = lab
    this.pi = pi
    this.lode = lode
  }

  static async start({ database, scripts, settings }: PiLabOptions): Promise<PiLab> {
    const lab = new Lab()
    const pi = await Pi.start(lab.folder('c'), scripts)
    lab.ending('pi', () => pi[Symbol.asyncDispose]())
    const lode = lab.addLode('l', {
      cwd: pi.project,
      databaseUrl: await lab.addDatabase(database),
      homes: { pi: [pi.folder] },
      // The person's own choice, which a run gets as well: nothing of it leaves this machine.
      env: { HOME: pi.home, PI_OFFLINE: '1' },
      settings: { 'agents.pi.executable': pi.program(), 'worker.sandbox': 'off', ...settings },
    })
    await lode.up()
    return new PiLab(lab, pi, lode)
  }

  async create(input: Inputs['tasks']['create']): Promise<Task['id']> {
    return (await this.lode.client.tasks.create({ agentClis: ['pi'], ...input })).task.id
  }

  /** Makes a task and waits until nothing more will happen to it. */
  async done(input: Inputs['tasks']['create']): Promise<Task> {
    return await this.ended(await this.create(input))
  }

  async ended(id: Task['id']): Promise<Task> {
    return await until(`the end of ${id}`, async () => {
      const { task } = await this.lode.client.tasks.get(id)
      return (FINAL_TASK_STATUSES as readonly string[]).includes(task.status) ? task : undefined
    })
  }

  async attempts(id: Task['id']): Promise<Attempt[]> {
    return (await this.lode.client.tasks.get(id)).attempts
  }

  /** The question that a task waits with. */
  async asked(id: Task['id']): Promise<Question> {
    return await until(`a question of ${id}`, async () => {
      const { questions } = await this.lode.client.questions.list({ status: 'open' })
      return questions.find(({ taskId }) => taskId === id)
    })
  }

  async log(id: Task['id']): Promise<string> {
    const { lines } = await this.lode.client.tasks.log(id, { limit: 1_000 })
    return lines.map(({ kind, text }) => `${kind}: ${text}`).join('\n')
  }
}
