/** Questions that wait for a person, of runs that this test is the worker of: as many as wanted, at once, with any deadline. */
import { type Client, createClient, httpTransport } from '../../../src/api/client'
import type { TaskId } from '../../../src/domain/ids'
import type { Question } from '../../../src/domain/task/task'
import type { Lode } from '../../lab/lode'

export class Asker {
  private readonly server: Lode
  private readonly worker: Client

  private constructor(server: Lode, token: string) {
    this.server = server
    this.worker = clientOf(server, token)
  }

  static async join(server: Lode, name = 'asker'): Promise<Asker> {
    const { token } = await server.client.agents.join({
      name,
      kind: 'worker',
      capabilities: [],
      concurrency: 50,
      hostname: 'harbour',
      hostName: 'harbour',
      bootId: 'boot-1',
      isFormerGone: false,
      version: '1.0.0',
    })
    return new Asker(server, token)
  }

  /** A task at work that asks for each of the commands. */
  async ask(title: string, commands: readonly string[], deadlineMs = 3_600_000): Promise<Question[]> {
    const { task } = await this.server.client.tasks.create({ task: title })
    const { assignment } = await this.worker.tasks.claim(task.id)
    if (assignment === null) throw new Error(`${task.id} could not be taken`)
    const questions: Question[] = []
    for (const command of commands) {
      const { question } = await this.worker.attempts.ask(assignment.attemptId, {
        toolUseId: null,
        toolName: 'Bash',
        input: { command },
        description: null,
        default: 'deny',
        deadlineMs,
      })
      questions.push(question)
    }
    return questions
  }

  /** A task whose one attempt failed, with why. */
  async fail(title: string, reason: string): Promise<TaskId> {
    const { task } = await this.server.client.tasks.create({ task: title, retryPolicy: { maximumAttempts: 1 } })
    const { assignment } = await this.worker.tasks.claim(task.id)
    if (assignment === null) throw new Error(`${task.id} could not be taken`)
    await this.worker.attempts.report(assignment.attemptId, {
      ended: {
        outcome: 'failed',
        failureClass: 'agent',
        reason,
        resetAt: null,
        output: null,
        exitCode: 1,
        signal: null,
        numTurns: null,
        costUsd: null,
        usage: null,
      },
    })
    return task.id
  }

  /** How each question of the tasks stands: `open`, `allow`, `deny` … */
  async standing(tasks: readonly TaskId[]): Promise<string[]> {
    const all = await Promise.all(tasks.map((taskId) => this.server.client.questions.list({ taskId })))
    return all.flatMap(({ questions }) =>
      questions.map(({ status, answer }) => (status === 'answered' ? (answer?.behavior ?? status) : status)),
    )
  }
}

const clientOf = ({ url }: Lode, token: string): Client =>
  createClient(httpTransport({ token, origin: url }), { baseUrl: url })
