import { CLOSE_INBOX } from '../../domain/access/rules'
import type { InboxId, TaskId } from '../../domain/ids'
import type { InboxSource } from '../../domain/inbox'
import type { Store } from '../../domain/store'
import type { Task } from '../../domain/task/task'
import type { TaskRow } from '../../domain/task/task-store'
import type { Caller } from '../../domain/task/worker-protocol'
import { randomBytes } from '../../util/crypto'
import { checkNewTask } from '../tasks/create-task'
import { handleMail } from '../tasks/runs/handle-mail'
import { resolveTask } from '../unit/find-task'
import { oncePerKey, repeatKey } from '../unit/repeat'
import { SYSTEM, type TaskParts } from '../unit/unit'
import { delegate, taskOf } from './delegate'
import type { Delegation, PutSource, Received, ReplyDelivery, ReplyToSource } from './inbox-inputs'
import { getInbox, inInboxUnit, mayAnswerOutside, moveInbox } from './inbox-unit'
import { announce, checkReceived, receive } from './receive'
import { addReply, fetchReplies, settleReply, takeReplies } from './replies'
import { putSource, removeSource } from './sources'

/** Replies that one call gives. */
const MAX_REPLIES = 200

/** The use cases of the inbox over a store. It holds no state: several may run over one database. */
export function createInboxService(options: {
  store: Store
  /** Milliseconds; default the unit's own time. */
  now?: () => number
  random?: (bytes: number) => Uint8Array
  /** As of `TaskServiceOptions`. */
  hasFolder?: boolean | undefined
}): InboxService {
  return new InboxUseCases({
    store: options.store,
    now: options.now,
    random: options.random ?? randomBytes,
    followedRoots: () => ({ hostName: '', roots: [] }),
    handleMail,
    hasFolder: options.hasFolder,
  })
}

class InboxUseCases {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  /**
   * Keeps a request of a source whose signature was checked, and tells a lead.
   *
   * @param signed  names the request when it has no id of its own
   * @throws `conflict` the id was used for another text · `too_large`
   */
  async receive(source: string, input: Received, signed: string): Promise<{ id: InboxId; isRepeat: boolean }> {
    const checked = checkReceived(input)
    return await inInboxUnit(this.parts, SYSTEM, (unit) => receive(unit, source, checked, signed))
  }

  /** @throws `conflict` it is closed, a task works on it, or its thread has a task and `parentTaskId` was left out */
  async delegate(
    caller: Caller,
    id: InboxId,
    input: Delegation,
    key: string | null,
  ): Promise<{ task: Task; routed: string | null; isRepeat: boolean }> {
    const repeat = repeatKey(key, { id, ...input })
    const parent: TaskId | null | undefined =
      input.parentTaskId == null ? input.parentTaskId : await resolveTask(this.parts.store, input.parentTaskId)
    return await inInboxUnit(this.parts, caller, async (unit) => {
      await mayAnswerOutside(unit)
      const row = await getInbox(unit, id)
      const task = taskOf(row, input)
      const checked = checkNewTask(task)
      const { answer, isRepeat } = await oncePerKey(unit, 'inbox.delegate', repeat, async () => {
        const made = await delegate(unit, row, task, checked, parent)
        return JSON.stringify([made.task.key, made.routed])
      })
      const [taskKey, routed] = JSON.parse(answer) as [TaskRow['key'], string | null]
      return { task: await unit.tasks.shown(taskKey), routed, isRepeat }
    })
  }

  async reply(
    caller: Caller,
    id: InboxId,
    input: { text: string; close?: boolean | undefined },
    key: string | null,
  ): Promise<{ replyId: string }> {
    const repeat = repeatKey(key, { id, ...input })
    return await inInboxUnit(this.parts, caller, async (unit) => {
      await mayAnswerOutside(unit)
      const { answer } = await oncePerKey(unit, 'inbox.reply', repeat, async () => {
        const made = await addReply(unit, await getInbox(unit, id), input.text)
        if (input.close === true) await moveInbox(unit, await getInbox(unit, id), 'close')
        return made
      })
      return { replyId: answer }
    })
  }

  async close(caller: Caller, id: InboxId): Promise<void> {
    await inInboxUnit(this.parts, caller, async (unit) => {
      await mayAnswerOutside(unit, CLOSE_INBOX)
      await moveInbox(unit, await getInbox(unit, id), 'close')
    })
  }

  /** Again with the same name changes it; the secret is new where none was or `rotate` says so, and only then given. */
  putSource(caller: Caller, input: PutSource): Promise<{ source: InboxSource; secret: string | null }> {
    return inInboxUnit(this.parts, caller, (unit) => putSource(unit, input))
  }

  removeSource(caller: Caller, name: string): Promise<void> {
    return inInboxUnit(this.parts, caller, (unit) => removeSource(unit, name))
  }

  /** Replies that wait to be fetched, and before that those of `ack` wait no longer. */
  fetchReplies(source: string, ack: string[], limit: number): Promise<ReplyToSource[]> {
    return inInboxUnit(this.parts, SYSTEM, (unit) => fetchReplies(unit, source, ack, Math.min(limit, MAX_REPLIES)))
  }

  /** Notifies leads of requests that no lead knows yet. @returns how many requests */
  announce(): Promise<number> {
    return inInboxUnit(this.parts, SYSTEM, announce)
  }

  /** Replies whose callback is to be tried now; nobody else is given them for a while. */
  takeReplies(limit: number): Promise<ReplyDelivery[]> {
    return inInboxUnit(this.parts, SYSTEM, (unit) => takeReplies(unit, Math.min(limit, MAX_REPLIES)))
  }

  /** @param error  `null` = its callback took it */
  settleReply(id: string, error: string | null): Promise<void> {
    return inInboxUnit(this.parts, SYSTEM, (unit) => settleReply(unit, id, error))
  }
}

/**
 * Every use case of the inbox. Each is one unit of work; arguments and answers are JSON values. Allowed to read and answer requests from
 * outside: an operator, an agent with a lead's token, and a run of a task that an operator made to lead.
 *
 * Errors all methods may throw: `not_found`, `conflict`, `invalid`, `too_large`, `forbidden`, `lease_lost`.
 */
export type InboxService = Pick<InboxUseCases, keyof InboxUseCases>
