import { isRecord, type JsonRecord, recordOf } from '../json-lines/json-value'

/** What is done with the answer to a request: with its result, or with the error in its place. */
export type AcpAnswer<T> = (result: JsonRecord | undefined, error: JsonRecord | undefined) => T

/** Our requests to a CLI that speaks the Agent Client Protocol, until they are answered. */
export class AcpRequests<T> {
  readonly #answers = new Map<number, AcpAnswer<T>>()
  /** The id of the newest request. */
  lastId = 0

  /** @returns the line of the request */
  ask(method: string, params: object, answer: AcpAnswer<T>): string {
    const id = ++this.lastId
    this.#answers.set(id, answer)
    return acpLine({ id, method, params })
  }

  /** `null` = the message answers none of our requests. */
  answered({ id, result, error }: JsonRecord): T | null {
    const answer = typeof id === 'number' ? this.#answers.get(id) : undefined
    if (answer === undefined || typeof id !== 'number') return null
    this.#answers.delete(id)
    return answer(recordOf(result), recordOf(error))
  }
}

/** One line with its newline. Separators that some readers of lines take for a newline are escaped. */
export function acpLine(message: object): string {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message })
  return `${text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

/** `null` = the line is no message. */
export function acpMessage(bytes: Uint8Array): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
