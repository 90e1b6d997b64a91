import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../../domain/errors'

/** The unit that the running code belongs to, so that the store can refuse to be used from inside one. */
const currentUnit = new AsyncLocalStorage<UnitScope>()

/**
 * Refuses a call of the store from inside a unit of work, which would wait for itself or read past its own writes.
 *
 * @throws `internal`
 */
export function refuseInsideUnit(call: string): void {
  if (currentUnit.getStore()?.isOpen === true) {
    throw new AppError('internal', `${call} was called inside a unit of work. Use the unit's transaction.`)
  }
}

const OUTLIVED = 'A unit of work used its transaction after its end.'
const FOREIGN = 'A unit of work awaited something other than its transaction, and was rolled back.'
const UNFINISHED = 'A unit of work ended before its own writes, and was rolled back.'

/**
 * The life of one unit of work: what it may touch, and whether it waits for anything but its transaction.
 *
 * A unit that has nothing under way in the database and yet is not done when the loop takes its next turn waits for
 * something foreign: its `run` rejects then and everything it still holds is dead. (What is over before that turn held up
 * nobody, and is not noticed.) No clock is involved, so a slow unit is
 * never taken for a foreign one, and one that waits for ever can't hold up the writer.
 */
export class UnitScope {
  private open = true
  private pending = 0
  private abort: ((error: AppError) => void) | undefined
  private check: ReturnType<typeof setImmediate> | undefined

  get isOpen(): boolean {
    return this.open
  }

  /**
   * `target` as the unit may use it: calls fail once the unit has ended, and calls that take time are counted.
   * Methods only; plain fields pass through.
   */
  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]): unknown => {
          this.assertOpen()
          return this.track(Reflect.apply(member, object, given))
        }
      },
    })
  }

  /** @throws `internal`  when the unit has ended. */
  assertOpen(): void {
    if (!this.open) throw new AppError('internal', OUTLIVED)
  }

  /** Counts `result` as under way when it is a promise. */
  track<T>(result: T): T {
    if (!(result instanceof Promise)) return result
    this.pending++
    const done = (): void => {
      this.pending--
      this.watch()
    }
    result.then(done, done)
    return result
  }

  /**
   * Runs the unit. A unit that answers at once costs no promise and no turn of the loop.
   *
   * @returns the unit's value, or a promise of it.
   * @throws what the unit throws; `internal` when it awaited something foreign or left a write of its own unawaited.
   */
  run<T>(unit: () => T | Promise<T>): T | Promise<T> {
    try {
      const result = currentUnit.run(this, unit)
      if (!(result instanceof Promise)) return this.finish(result)
      return this.settle(result)
    } catch (thrown) {
      this.end()
      throw thrown
    }
  }

  private settle<T>(result: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.abort = (error) => {
        this.end()
        reject(error)
      }
      this.watch()
      result.then(
        (value) => {
          if (!this.open) return
          try {
            resolve(this.finish(value))
          } catch (thrown) {
            reject(thrown)
          }
        },
        (thrown) => {
          if (!this.open) return
          this.end()
          reject(thrown)
        },
      )
    })
  }

  private finish<T>(value: T): T {
    const isUnfinished = this.pending > 0
    this.end()
    if (isUnfinished) throw new AppError('internal', UNFINISHED)
    return value
  }

  /** For a store that commits within `run`. @throws `internal` a write of the unit is still under way */
  assertFinished(): void {
    if (this.pending > 0) throw new AppError('internal', UNFINISHED)
  }

  /** Looks on the loop's next turn whether the unit waits for something that is not ours. */
  private watch(): void {
    if (this.abort === undefined || !this.open || this.check !== undefined) return
    this.check = setImmediate(() => {
      this.check = undefined
      if (this.open && this.pending === 0) this.abort?.(new AppError('internal', FOREIGN))
    })
  }

  private end(): void {
    this.open = false
    if (this.check !== undefined) clearImmediate(this.check)
    this.check = undefined
  }
}
