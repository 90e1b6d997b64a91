/** Lodeline as a person runs it, whose tasks the real Copilot CLI runs with a scripted model. */
import type { Inputs } from '../../src/api/contract/operations'
import { FINAL_TASK_STATUSES, type Task } from '../../src/domain/task/task'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import { Copilot } from './copilot'
import { type ChatScripts, chatText } from './scripted-chat'

export class CopilotLab implements AsyncDisposable {
  readonly lab: Lab
  readonly copilot: Copilot
  readonly lode: Lode

  private constructor(lab: Lab, copilot: Copilot, settings: Record<string, unknown>) {
    this.lab = lab
    this.copilot = copilot
    this.lode = lab.addLode('l', {
      cwd: copilot.project,
      homes: { copilot: [copilot.folder] },
      env: { HOME: copilot.home, ...copilot.environment },
      settings: {
        'agents.copilot.executable': copilot.program,
        'worker.maxPermissionMode': 'bypassPermissions',
        'worker.sandbox': 'off',
        'worker.deny': ['Bash(rm *)'],
        'worker.concurrency': 4,
        ...settings,
      },
    })
  }

  static async start(scripts: ChatScripts, settings: Record<string, unknown> = {}): Promise<CopilotLab> {
    const lab = new Lab()
    const copilot = await Copilot.start(lab.folder('c'), scripts)
    lab.ending('copilot', () => copilot[Symbol.asyncDispose]())
    const made = new CopilotLab(lab, copilot, settings)
    await made.lode.up()
    return made
  }

  async create(input: Inputs['tasks']['create']): Promise<Task> {
    const { task } = await this.lode.client.tasks.create({
      ...{ agentClis: ['copilot'], permissionMode: 'bypassPermissions' },
      ...input,
    })
    return task
  }

  /** Makes a task and waits until nothing more will happen to it. */
  async done(input: Inputs['tasks']['create']): Promise<Task> {
    return await this.ended((await this.create(input)).id)
  }

  async ended(id: Task['id']): Promise<Task> {
    return await until(`the end of ${id}`, async () => {
      const { task } = await this.lode.client.tasks.get(id)
      return (FINAL_TASK_STATUSES as readonly string[]).includes(task.status) ? task : undefined
    })
  }

  async attempts(id: Task['id']) {
    return (await this.lode.client.tasks.get(id)).attempts
  }

  /** What the model was sent last of a conversation that holds a text, as one text. */
  shownWith(text: string): string {
    const shown = this.copilot.model.requests.map(({ messages }) => messages.map(chatText).join('\n'))
    const found = shown.findLast((request) => request.includes(text))
    if (found === undefined) throw new Error(`the model was never shown ${text}`)
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }
}
