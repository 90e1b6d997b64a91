import type { Agent, AgentDescription } from '../../domain/agent'
import type { AgentId, AttemptId, IssueId, QuestionId, SessionId, TaskId, ToolUseId } from '../../domain/ids'
import type { RecallMoment } from '../../domain/recall'
import type { Attempt, Issue, Question, Rung, Task, TaskLogLine, TaskNode } from '../../domain/task'
import type {
  Assignment,
  AttemptReport,
  JoinAnswer,
  JoinInput,
  PollAnswer,
  PollInput,
} from '../../domain/worker-protocol'
import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { CallOptions, FollowOptions } from './call'
import type { InboxClient } from './inbox-methods'
import type { IssueClient } from './issue-methods'
import type { MessageClient } from './message-methods'
import type { PlanClient } from './plan-methods'
import type { LinkClient, TodoClient } from './todo-methods'

/** A create that may be sent again: the same key makes nothing twice. Without one the client makes one for its own retries. */
export interface CreateOptions extends CallOptions {
  idempotencyKey?: string
}

/** The client's methods for tasks and what hangs on them. A task's `id` may be a unique beginning of four characters or more. */
export interface WorkClient {
  readonly tasks: {
    create(input: RequestInput<'tasks.create'>, options?: CreateOptions): Promise<ResponseOf<'tasks.create'>>
    list(input?: RequestInput<'tasks.list'>, options?: CallOptions): Promise<ResponseOf<'tasks.list'>>
    all(input?: Omit<RequestInput<'tasks.list'>, 'cursor'>, options?: CallOptions): AsyncIterable<Task>
    /** What is recorded of at most 200 tasks, by their whole ids. */
    costs(ids: readonly TaskId[], options?: CallOptions): Promise<ResponseOf<'tasks.costs'>>
    /** With attempts, session, children, to-dos, dependencies, open questions, and what is recorded of its cost. */
    get(id: string, options?: CallOptions): Promise<ResponseOf<'tasks.get'>>
    patch(id: string, input: Omit<RequestInput<'tasks.patch'>, 'id'>, options?: CallOptions): Promise<{ task: Task }>
    cancel(id: string, input?: { reason?: string | undefined }, options?: CallOptions): Promise<{ task: Task }>
    pause(id: string, input?: { reason?: string | undefined }, options?: CallOptions): Promise<{ task: Task }>
    resume(id: string, options?: CallOptions): Promise<{ task: Task }>
    deploy(id: string, options?: CallOptions): Promise<ResponseOf<'tasks.deploy'>>
    retry(id: string, input?: { reason?: string | undefined }, options?: CallOptions): Promise<{ task: Task }>
    offer(id: string, input: Omit<RequestInput<'tasks.offer'>, 'id'>, options?: CallOptions): Promise<{ task: Task }>
    accept(id: string, input?: { agentId?: string | undefined }, options?: CallOptions): Promise<{ task: Task }>
    reject(
      id: string,
      input?: { agentId?: string | undefined; reason?: string | undefined },
      options?: CallOptions,
    ): Promise<{ task: Task }>
    release(id: string, input?: { reason?: string | undefined }, options?: CallOptions): Promise<{ task: Task }>
    progress(id: string, input: { progress: string }, options?: CallOptions): Promise<{ task: Task }>
    finish(id: string, input: Omit<RequestInput<'tasks.finish'>, 'id'>, options?: CallOptions): Promise<{ task: Task }>
    /** `id` null: the next one. */
    claim(
      id: string | null,
      input?: { agentId?: string | undefined; leaseMs?: number | undefined },
      options?: CallOptions,
    ): Promise<{ assignment: Assignment | null }>
    input(
      id: string,
      input: { text: string; urgency?: 'now' | 'next' | undefined },
      options?: CallOptions,
    ): Promise<{ uuid: string }>
    setConversation(id: string, claudeSessionId: string, options?: CallOptions): Promise<{ task: Task }>
    tree(
      id: string,
      input?: { textLimit?: number | undefined },
      options?: CallOptions,
    ): Promise<{ tree: TaskNode; isCut: boolean }>
    log(
      id: string,
      input?: { after?: number | undefined; limit?: number | undefined },
      options?: CallOptions,
    ): Promise<{ lines: TaskLogLine[]; task: Task }>
    /** Lines as they come; ends when the task is final (or `options.signal` aborts). Goes on over a lost connection. */
    followLog(id: string, input?: { after?: number | undefined }, options?: FollowOptions): AsyncIterable<TaskLogLine>
    /** What an agent is told of its task at this moment; empty when there is nothing to say. */
    recall(id: string, input: { moment: RecallMoment }, options?: CallOptions): Promise<string>
    /** The first prompt of an attempt that got its conversation by this rung. */
    prompt(id: string, input: { rung: Rung }, options?: CallOptions): Promise<string>
  }
  readonly epics: {
    create(
      input: { title: string; description?: string | undefined; priority?: number | undefined },
      options?: CreateOptions,
    ): Promise<{ epic: Issue }>
    list(
      input?: RequestInput<'epics.list'>,
      options?: CallOptions,
    ): Promise<{ epics: ResponseOf<'epics.get'>[]; nextCursor: string | null }>
    get(id: string, options?: CallOptions): Promise<ResponseOf<'epics.get'>>
    createTask(
      id: IssueId | string,
      input: RequestInput<'tasks.create'>,
      options?: CreateOptions,
    ): Promise<ResponseOf<'tasks.create'>>
  }
  readonly issues: IssueClient
  readonly messages: MessageClient
  readonly inbox: InboxClient
  readonly plans: PlanClient
  readonly todos: TodoClient
  readonly links: LinkClient
  readonly agents: {
    /** With `dir` (absolute, on the server's host) also what files of that project describe. */
    list(options?: CallOptions & { dir?: string | undefined }): Promise<ResponseOf<'agents.list'>>
    /** By id or name, with its live tasks and what its runs are told. */
    get(id: string, options?: CallOptions): Promise<ResponseOf<'agents.get'>>
    /** By name: instructions, model and the like; makes the agent where there is none. What is left out stays as it is. */
    describe(name: string, input: AgentDescription, options?: CallOptions): Promise<{ agent: Agent }>
    join(input: JoinInput, options?: CallOptions): Promise<JoinAnswer>
    poll(id: AgentId, input: PollInput, options?: CallOptions): Promise<PollAnswer>
  }
  readonly attempts: {
    report(id: AttemptId, report: AttemptReport, options?: CallOptions): Promise<{ attempt: Attempt }>
    /** Adds to what the server holds of the run's output; `offset` must be where it stands, else `conflict` with `details.offset`. */
    stream(id: AttemptId, offset: number, bytes: Uint8Array, options?: CallOptions): Promise<{ offset: number }>
    ask(
      id: AttemptId,
      input: {
        toolUseId: ToolUseId | null
        toolName: string
        input: unknown
        description: string | null
        default: 'allow' | 'deny'
        deadlineMs: number
      },
      options?: CallOptions,
    ): Promise<{ question: Question }>
  }
  readonly questions: {
    list(input?: RequestInput<'questions.list'>, options?: CallOptions): Promise<ResponseOf<'questions.list'>>
    answer(
      id: QuestionId | string,
      input: { behavior: 'allow' | 'deny'; message?: string | undefined },
      options?: CallOptions,
    ): Promise<{ question: Question }>
  }
  readonly conversations: {
    /** A session's main transcript, cut at its last finished turn. @throws `not_found` nothing recorded, or no finished turn */
    snapshot(session: SessionId, options?: CallOptions): Promise<{ bytes: Uint8Array; lastUuid: string }>
  }
  readonly files: {
    /** Sends bytes of a file on another host; see `collector/remote-recorder.ts`. */
    append(input: RemoteFileInput, bytes: Uint8Array, options?: CallOptions): Promise<RemoteFileAnswer>
  }
}

/** A file of an agent's CLI on another host than the server's. */
export interface RemoteFileInput {
  hostName: string
  hostname: string
  /** Absolute, on that host. */
  path: string
  kind: 'transcript' | 'subagent' | 'subagent_meta' | 'tasks'
  sessionId: string | null
  agentId: string | null
  /** Where these bytes begin. 0 begins the file anew. */
  offset: number
  /** sha-256 in hex of the first 1 KiB and the last 4 KiB before `offset`: must be what the server has. `null` at 0. */
  before: string | null
  /** The file is gone. */
  isGone?: boolean
}

export interface RemoteFileAnswer {
  /** Bytes that the server has now. */
  size: number
  eventsAdded: number
}
