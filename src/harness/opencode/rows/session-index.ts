import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, textOf } from '../../json-lines/json-value'

/**
 * Which sessions are taken over whole, so that the next start looks at the others alone. Each is kept with the signature of its row: a
 * session that goes on gets another one. Without the file every session is compared once, which is slower and as right.
 */
export class SessionIndex {
  readonly #path: string
  readonly #signatures = new Map<string, string>()
  #look = ''
  #isChanged = false

  constructor(folder: string) {
    this.#path = join(folder, 'index.json')
    try {
      const read: unknown = JSON.parse(readFileSync(this.#path, 'utf8'))
      if (!isRecord(read) || !isRecord(read.sessions)) return
      this.#look = textOf(read.look) ?? ''
      for (const [session, value] of Object.entries(read.sessions)) {
        const signature = textOf(value)
        if (signature !== undefined) this.#signatures.set(session, signature)
      }
    } catch {
      // There is none yet, or it is broken.
    }
  }

  has(session: string, signature: string): boolean {
    return this.#signatures.get(session) === signature
  }

  /** How the database's files looked when all of it was taken over. */
  get look(): string {
    return this.#look
  }

  set look(look: string) {
    if (look !== this.#look) this.#isChanged = true
    this.#look = look
  }

  /** Every session is compared again. */
  clear(): void {
    this.#isChanged ||= this.#signatures.size > 0
    this.#signatures.clear()
  }

  set(session: string, signature: string): void {
    if (this.has(session, signature)) return
    this.#signatures.set(session, signature)
    this.#isChanged = true
  }

  /** @throws the system's error */
  save(): void {
    if (!this.#isChanged) return
    const draft = `${this.#path}.new`
    writeFileSync(draft, JSON.stringify({ look: this.#look, sessions: Object.fromEntries(this.#signatures) }), {
      mode: 0o600,
    })
    renameSync(draft, this.#path)
    this.#isChanged = false
  }
}
