/** Lodeline as a person runs it, whose tasks the real Codex runs with a scripted model. */
import type { Inputs } from '../../src/api/contract/operations'
import { FINAL_TASK_STATUSES, type Task } from '../../src/domain/task/task'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import type { DatabaseKind } from '../store-contract/databases'
import { Codex } from './codex'
import type { Step } from './scripted-model'

export class CodexLab implements AsyncDisposable {
  readonly lab: Lab
  readonly codex: Codex
  readonly lode: Lode

  private constructor(lab: Lab, codex: Codex, databaseUrl: string | undefined, { settings }: LabOptions) {
    this.lab = lab
    this.codex = codex
    this.lode = lab.addLode('l', {
      cwd: codex.project,
      databaseUrl,
      homes: { codex: [codex.folder] },
      path: [codex.onPath()],
      // The CLI makes no helpers of its sandbox in the system's folder for temporary files.
      env: { HOME: codex.home, LOCAL_KEY: 'none', TMPDIR: lab.folder('t') },
      settings: {
        'worker.maxPermissionMode': 'bypassPermissions',
        'worker.passEnvironment': ['LOCAL_KEY'],
        'worker.sandbox': 'off',
        'worker.deny': ['Bash(rm *)'],
        'worker.concurrency': 4,
        ...settings,
      },
    })
  }

  static async start(scripts: Readonly<Record<string, readonly Step[]>>, options: LabOptions = {}): Promise<CodexLab> {
    const lab = new Lab()
    const codex = await Codex.start(lab.folder('c'), scripts)
    lab.ending('codex', () => codex[Symbol.asyncDispose]())
    codex.configure()
    const made = new CodexLab(lab, codex, await lab.addDatabase(options.database ?? 'sqlite'), options)
    await made.lode.up()
    return made
  }

  async create(input: Inputs['tasks']['create']): Promise<Task> {
    const { task } = await this.lode.client.tasks.create({
      ...{ agentClis: ['codex'], permissionMode: 'bypassPermissions' },
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

  /** The newest request to the model that holds a text. */
  shownWith(text: string): string {
    const found = this.codex.shown.findLast((request) => request.includes(text))
    if (found === undefined) throw new Error(`the model was never shown ${text}`)
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }
}

export interface LabOptions {
  database?: DatabaseKind
  settings?: Record<string, unknown>
}
