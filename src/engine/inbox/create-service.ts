import { randomBytes } from 'node:crypto'
import type { InboxId, TaskId } from '../../domain/ids'
import type { Store } from '../../domain/store'
import type { Task } from '../../domain/task'
import type { TaskRow } from '../../domain/task-store'
import type { Caller } from '../../domain/worker-protocol'
import { checkNewTask } from '../tasks/create-task'
import { resolveTask } from '../tasks/find-task'
import { lookAfterMail } from '../tasks/look-at-mail'
import { oncePerKey, repeatKey } from '../tasks/repeat'
import { SYSTEM, type TaskParts } from '../tasks/unit'
import { delegate, taskOf } from './delegate'
import type { Delegation, InboxService, Received, ReplyDelivery, ReplyToSource } from './inbox-service'
import { getInbox, inInboxUnit, mayAnswerOutside, moveInbox } from './inbox-unit'
import { announce, checkReceived, receive } from './receive'
import { addReply, fetchReplies, settleReply, takeReplies } from './replies'
import { putSource, removeSource } from './sources'

/** Replies that one call gives. */
const MOST_REPLIES = 200

/** The use cases of the inbox over a store. It holds no state: several may run over one database. */
export function createInboxService(options: {
  store: Store
  /** Milliseconds; default the unit's own time. */
  now?: () => number
  random?: (bytes: number) => Uint8Array
  /** As of `TaskServiceOptions`. */
  hasFolder?: boolean | undefined
}): InboxService {
  return new Service({
    store: options.store,
    now: options.now,
    random: options.random ?? randomBytes,
    followedRoots: () => ({ hostName: '', roots: [] }),
    lookAfter: lookAfterMail,
    hasFolder: options.hasFolder,
  })
}

class Service implements InboxService {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  async receive(source: string, input: Received, signed: string): Promise<{ id: InboxId; isRepeat: boolean }> {
    const checked = checkReceived(input)
    return await inInboxUnit(this.parts, SYSTEM, (unit) => receive(unit, source, checked, signed))
  }

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
      await mayAnswerOutside(unit)
      await moveInbox(unit, await getInbox(unit, id), 'close')
    })
  }

  putSource(caller: Caller, input: Parameters<InboxService['putSource']>[1]): ReturnType<InboxService['putSource']> {
    return inInboxUnit(this.parts, caller, (unit) => putSource(unit, input))
  }

  removeSource(caller: Caller, name: string): Promise<void> {
    return inInboxUnit(this.parts, caller, (unit) => removeSource(unit, name))
  }

  fetchReplies(source: string, ack: string[], limit: number): Promise<ReplyToSource[]> {
    return inInboxUnit(this.parts, SYSTEM, (unit) => fetchReplies(unit, source, ack, Math.min(limit, MOST_REPLIES)))
  }

  announce(): Promise<number> {
    return inInboxUnit(this.parts, SYSTEM, announce)
  }

  takeReplies(limit: number): Promise<ReplyDelivery[]> {
    return inInboxUnit(this.parts, SYSTEM, (unit) => takeReplies(unit, Math.min(limit, MOST_REPLIES)))
  }

  settleReply(id: string, error: string | null): Promise<void> {
    return inInboxUnit(this.parts, SYSTEM, (unit) => settleReply(unit, id, error))
  }
}
