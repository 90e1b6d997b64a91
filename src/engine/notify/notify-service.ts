import type { News, PushKeys } from '../../domain/notify/notify'
import type { Caller } from '../../domain/task/worker-protocol'
import { partsOf, type TokenServiceOptions } from '../tokens/token-unit'
import { inWriteUnit, SYSTEM, type TaskParts, type Unit } from '../unit/unit'
import { endChannel, type NotifyUnit, pushKey, putChannel, removeChannel } from './channels'
import { answerByButton, forgetOld, notice, noticeTest, settle, takeDue } from './notifications'
import type { NotifyDelivery, PutChannel } from './notify-inputs'

/** The use cases of notifications over a store. It holds no state: several may run over one database. */
export const createNotifyService = (options: TokenServiceOptions): NotifyService => new NotifyUseCases(partsOf(options))

const inNotifyUnit = <T>(
  parts: TaskParts,
  caller: Unit['caller'],
  work: (unit: NotifyUnit) => Promise<T>,
): Promise<T> => inWriteUnit(parts, caller, (unit, tx) => work({ ...unit, notify: tx.notify }))

class NotifyUseCases {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  /** Again with the same name changes it. A secret that we make is given once. */
  put(caller: Caller, input: PutChannel): Promise<{ secret: string | null }> {
    return inNotifyUnit(this.parts, caller, (unit) => putChannel(unit, input))
  }

  remove(caller: Caller, name: string): Promise<void> {
    return inNotifyUnit(this.parts, caller, (unit) => removeChannel(unit, name))
  }

  /** @returns the id of the notification, whose end `NotifyReads.log` gives */
  test(caller: Caller, name: string): Promise<string> {
    return inNotifyUnit(this.parts, caller, (unit) => noticeTest(unit, name))
  }

  /** @param made  keys to keep where there are none */
  pushKey(caller: Caller, made: PushKeys): Promise<string> {
    return inNotifyUnit(this.parts, caller, (unit) => pushKey(unit, made))
  }

  /** The channel leads nowhere any more. */
  end(name: string): Promise<void> {
    return inNotifyUnit(this.parts, SYSTEM, (unit) => endChannel(unit, name))
  }

  notice(news: News[]): Promise<void> {
    return inNotifyUnit(this.parts, SYSTEM, (unit) => notice(unit, news))
  }

  takeDue(standing: string[] | null, limit: number): Promise<NotifyDelivery[]> {
    return inNotifyUnit(this.parts, SYSTEM, (unit) => takeDue(unit, standing, limit))
  }

  settle(ids: string[], error: string | null): Promise<void> {
    return inNotifyUnit(this.parts, SYSTEM, (unit) => settle(unit, ids, error))
  }

  answer(secret: string, behavior: 'allow' | 'deny'): Promise<void> {
    return inNotifyUnit(this.parts, SYSTEM, (unit) => answerByButton(unit, secret, behavior))
  }

  sweep(): Promise<number> {
    return inNotifyUnit(this.parts, SYSTEM, forgetOld)
  }
}

/**
 * Every use case that writes channels and notifications. Each is one unit of work; arguments and answers are JSON values.
 *
 * Errors all methods may throw: `not_found`, `conflict`, `invalid`, `too_large`, `forbidden`, `unauthorized`.
 */
export type NotifyService = Pick<NotifyUseCases, keyof NotifyUseCases>
