import { recordOf } from '../../json-lines/json-value'

/** Calls under way that are kept in mind; a session has a few. */
const OPEN_LIMIT = 1_000

/** How often the same call failed in a row, by session. A call is the same by its tool and input; how it describes itself counts for nothing. */
export class RepeatedFailures {
  readonly #open = new Map<string, { session: string; key: string; text: string }>()
  readonly #last = new Map<string, { key: string; count: number }>()

  begin(callId: string, session: string, tool: string, args: unknown, text: string): void {
    const { description: _, ...input } = recordOf(args) ?? {}
    if (this.#open.size < OPEN_LIMIT) this.#open.set(callId, { session, key: `${tool} ${JSON.stringify(input)}`, text })
  }

  /** @returns `null` = it did not fail, or its end was reported already */
  end(callId: string, isError: boolean): { count: number; text: string } | null {
    const call = this.#open.get(callId)
    if (call === undefined) return null
    this.#open.delete(callId)
    if (!isError) {
      this.#last.delete(call.session)
      return null
    }
    const before = this.#last.get(call.session)
    const count = before?.key === call.key ? before.count + 1 : 1
    this.#last.set(call.session, { key: call.key, count })
    return { count, text: call.text }
  }
}
