/** Lodeline as a person runs it, whose tasks the real opencode runs with a scripted model. */
import type { Inputs } from '../../src/api/contract/operations'
import { FINAL_TASK_STATUSES, type Task } from '../../src/domain/task/task'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { PASS_ENVIRONMENT } from '../lab/quick-start'
import { until } from '../lab/until'
import { Opencode } from './opencode'
import { type ChatScripts, chatText } from './scripted-chat'

export class OpencodeLab implements AsyncDisposable {
  readonly lab: Lab
  readonly opencode: Opencode
  readonly lode: Lode

  private constructor(lab: Lab, opencode: Opencode, settings: Record<string, unknown>) {
    this.lab = lab
    this.opencode = opencode
    this.lode = lab.addLode('l', {
      cwd: opencode.project,
      homes: { opencode: [opencode.folder] },
      env: { HOME: opencode.home, ...opencode.environment },
      settings: {
        'agents.opencode.executable': opencode.program,
        'worker.maxPermissionMode': 'bypassPermissions',
        'worker.sandbox': 'off',
        'worker.passEnvironment': PASS_ENVIRONMENT,
        'worker.deny': ['Bash(rm *)'],
        'worker.concurrency': 4,
        ...settings,
      },
    })
  }

  static async start(scripts: ChatScripts, settings: Record<string, unknown> = {}): Promise<OpencodeLab> {
    const lab = new Lab()
    const opencode = await Opencode.start(lab.folder('c'), scripts)
    lab.ending('opencode', () => opencode[Symbol.asyncDispose]())
    const made = new OpencodeLab(lab, opencode, settings)
    await made.lode.up()
    return made
  }

  async create(input: Inputs['tasks']['create']): Promise<Task> {
    const { task } = await this.lode.client.tasks.create({
      ...{ agentClis: ['opencode'], permissionMode: 'bypassPermissions' },
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
    const shown = this.opencode.model.requests.map(({ messages }) => messages.map(chatText).join('\n'))
    const found = shown.findLast((request) => request.includes(text))
    if (found === undefined) throw new Error(`the model was never shown ${text}`)
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }
}
