/** What the record holds of a conversation that was written for an agent CLI, without the CLI. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentHarness } from '../../../src/domain/harness/agent-harness'
import type { ConversationWriter, HarnessTranslation, TranslationTarget } from '../../../src/domain/harness/translation'
import { harnesses } from '../../../src/harness/registry'

export interface Translator {
  harness: AgentHarness
  translation: HarnessTranslation
}

/** Every CLI whose conversations can be read. */
export async function readers(): Promise<Translator[]> {
  const all = await Promise.all(
    harnesses().map(async (harness) => ({ harness, translation: await harness.translation?.() })),
  )
  return all.flatMap(({ harness, translation }) => (translation === undefined ? [] : [{ harness, translation }]))
}

export interface Writer extends Translator {
  writer: ConversationWriter
}

/** Every CLI that is given conversations. */
export const writers = async (): Promise<Writer[]> =>
  (await readers()).flatMap(({ harness, translation }) =>
    translation.writer === null ? [] : [{ harness, translation, writer: translation.writer }],
  )

/** Conversations of a CLI that takes them back as files. */
export const NO_PROGRAM = { path: '/nowhere', env: {} }

export const ORIGIN = '00000000-0000-4000-8000-000000000901'

/** @param cwd  an absolute folder that is there, without links */
export function targetOf({ writer }: Writer, cwd: string): TranslationTarget {
  const uuid = Bun.randomUUIDv7()
  return {
    ...{
      sessionId: writer.idOf?.(uuid) ?? uuid,
      cwd,
      version: null,
      model: null,
      provider: null,
      now: Date.UTC(2026, 0, 2),
    },
    origin: { agent: 'other', sessionId: ORIGIN, title: 'Other' },
  }
}

/**
 * Puts a written conversation where the CLI has its own.
 *
 * @param root  a folder that stands for the CLI's
 * @returns the path and bytes that are recorded of it
 */
export async function recorded(
  { harness }: Writer,
  file: { name: string; bytes: Uint8Array },
  { sessionId, cwd }: Pick<TranslationTarget, 'sessionId' | 'cwd'>,
  root: string,
): Promise<{ path: string; bytes: Buffer }> {
  const path = harness.database === undefined ? await restored() : await journal(await harness.database())
  return { path, bytes: readFileSync(path) }

  async function restored(): Promise<string> {
    const run = await harness.run?.()
    if (run === undefined || run.restore === null) throw new Error(`${harness.name} takes no conversation back`)
    async function* files() {
      yield file
    }
    await run.restore({ root, cwd }, sessionId, files(), NO_PROGRAM)
    const [found] = (await harness.files()).ofSession(root, sessionId)
    if (found === undefined) throw new Error(`${harness.name} has no file of ${sessionId}`)
    return found
  }

  async function journal(database: Awaited<ReturnType<NonNullable<AgentHarness['database']>>>): Promise<string> {
    mkdirSync(root, { recursive: true })
    const document = join(root, file.name)
    writeFileSync(document, file.bytes)
    const journals = database.open(document, join(root, 'rows', harness.name, 'd'))
    try {
      const { paths, problem } = await journals.look()
      const found = paths.find((each) => each.endsWith(`${sessionId}.jsonl`))
      if (found === undefined) throw new Error(problem ?? `${harness.name} has no journal of ${sessionId}`)
      return found
    } finally {
      journals.close()
    }
  }
}
