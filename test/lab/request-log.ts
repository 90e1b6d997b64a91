/** What a lab's model server was sent, as it logs it. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A request that the model server answered; see the head of `test/lab/model-server.mjs`. */
export interface ModelRequest {
  n: number
  /** `aux`: a helper's, without tools (titles, summaries of the newer releases). */
  who: 'main' | 'sub' | 'aux'
  session: string
  /** The script's rule and the step of it that answered; `null` = none matched. */
  rule: string | number | null
  step: number
  body: { system?: unknown; messages: { role: string; content: unknown }[]; tools?: { name: string }[] }
}

/** Most lines have 100,000 characters: a test that waits asks often, so each is read once. */
export class RequestLog {
  readonly #path: string
  readonly #requests: ModelRequest[] = []
  /** Bytes that were read, and what of them is no whole line yet: the server may be in the middle of one. */
  #offset = 0
  #rest = Buffer.alloc(0)

  constructor(path: string) {
    this.#path = path
  }

  /** All so far, in order. @throws the system's error where there is no log */
  requests(): ModelRequest[] {
    const bytes = Buffer.concat([this.#rest, this.#more()])
    const end = bytes.lastIndexOf(10) + 1
    this.#rest = bytes.subarray(end)
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue
      const request = JSON.parse(line) as ModelRequest
      if (request.who !== undefined) this.#requests.push(request)
    }
    return [...this.#requests]
  }

  #more(): Buffer {
    const file = openSync(this.#path, 'r')
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - this.#offset))
      const count = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, this.#offset)
      this.#offset += count
      return bytes.subarray(0, count)
    } finally {
      closeSync(file)
    }
  }
}
