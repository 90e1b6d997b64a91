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
  #isChanged = false

  constructor(folder: string) {
    this.#path = join(folder, 'index.json')
    try {
      const read: unknown = JSON.parse(readFileSync(this.#path, 'utf8'))
      if (!isRecord(read)) return
      for (const [session, value] of Object.entries(read)) {
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

  sessions(): string[] {
    return [...this.#signatures.keys()]
  }

  set(session: string, signature: string): void {
    if (this.has(session, signature)) return
    this.#signatures.set(session, signature)
    this.#isChanged = true
  }

  delete(session: string): void {
    if (this.#signatures.delete(session)) this.#isChanged = true
  }

  /** @throws the system's error */
  save(): void {
    if (!this.#isChanged) return
    const draft = `${this.#path}.new`
    writeFileSync(draft, JSON.stringify(Object.fromEntries(this.#signatures)), { mode: 0o600 })
    renameSync(draft, this.#path)
    this.#isChanged = false
  }
}
