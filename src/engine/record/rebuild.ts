import { type Harness, isDocument, type JournalRef } from '../../domain/harness/harness'
import { type AgentName, incarnationKey } from '../../domain/ids'
import type { SecretMask } from '../../domain/secrets/mask'
import type { Store } from '../../domain/store'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'
import { foreignProjectOf, type ProjectPlace } from '../../util/git/git-project'
import { applyBytes, parseBytes, prepareBytes } from './bytes'

export interface RebuildOptions {
  store: Store
  harnessOf(agent: AgentName): Harness
  host: { name: string; hostname: string }
  projectOf(cwd: string): ProjectPlace
  /** Hides secrets in all that is derived. */
  mask: SecretMask
  /** As `FileRecorderOptions.todos`. */
  todos?: TodoFoldOptions
  /** As `FileRecorderOptions.indexesOutput`. */
  indexesOutput?: boolean
  /** Told after each incarnation. */
  onProgress?(done: { incarnations: number; bytes: number; events: number }): void
}

/** Bytes of a journal that are parsed in one unit of work. */
const BLOCK_BYTES = 512 * 1_024

/**
 * Empties every projection and reads all journals into them again, in the order in which they were recorded.
 *
 * The journals themselves are only read. Readers see the record grow while it runs. If it is interrupted, running it again
 * (or the next growth of a file) goes on; nothing is lost, since every block moves its journal's cursor in the same unit.
 */
export async function rebuild(
  options: RebuildOptions,
): Promise<{ incarnations: number; bytes: number; events: number }> {
  const { store } = options
  const todo: { ref: JournalRef; host: RebuildOptions['host']; incarnation: number; number: number }[] = []
  for await (const { journal, agent, sessionId, host } of store.journals.listAll())
    for (const incarnation of journal.incarnations)
      todo.push({
        ref: {
          agent,
          kind: journal.kind as JournalRef['kind'],
          path: journal.path,
          sessionId,
          subagentId: journal.subagentId,
        },
        host,
        incarnation: incarnation.id,
        number: incarnation.number,
      })
  todo.sort((a, b) => a.incarnation - b.incarnation)
  await store.write((tx) => tx.record.clearProjections())
  const done = { incarnations: 0, bytes: 0, events: 0 }
  for (const { ref, host, incarnation } of todo) {
    const { bytes, events } = await rebuildOne(optionsOf(options, host), ref, incarnation)
    done.incarnations++
    done.bytes += bytes
    done.events += events
    options.onProgress?.({ ...done })
  }
  return done
}

/** Folders of another host say nothing on this one. */
function optionsOf(options: RebuildOptions, host: RebuildOptions['host']): RebuildOptions {
  return host.name === options.host.name ? options : { ...options, host, projectOf: foreignProjectOf }
}

async function rebuildOne(options: RebuildOptions, ref: JournalRef, incarnation: number) {
  const isWhole = isDocument(ref)
  const state = {
    parsed: 0,
    size: 0,
    events: 0,
    sessionId: ref.sessionId,
    ownFromAt: null as number | null,
    carry: null as string | null,
  }
  let pending: Buffer = Buffer.alloc(0)
  for await (const chunk of options.store.journals.read(incarnation)) {
    pending = pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([pending, chunk])
    state.size += chunk.length
    if (!isWhole && pending.length >= BLOCK_BYTES && pending.lastIndexOf(10) >= 0)
      pending = await replay(options, ref, incarnation, state, pending, isWhole)
  }
  if (pending.length > 0) await replay(options, ref, incarnation, state, pending, isWhole)
  return { bytes: state.size, events: state.events }
}

/** Applies the whole lines of `bytes` and gives back the rest. */
async function replay(
  options: RebuildOptions,
  ref: JournalRef,
  incarnation: number,
  state: { parsed: number; events: number; sessionId: string | null; ownFromAt: number | null; carry: string | null },
  bytes: Buffer,
  isWhole: boolean,
): Promise<Buffer> {
  const { store, host, projectOf, todos, indexesOutput } = options
  const parsed = parseBytes(options, ref, bytes, { offset: state.parsed, carry: state.carry }, isWhole)
  state.sessionId = ref.sessionId ?? parsed.sessionId ?? state.sessionId
  state.ownFromAt ??= parsed.ownFromAt
  state.carry = parsed.carry
  const { sessionId, ownFromAt, carry } = state
  const prepared = prepareBytes(parsed, {
    ...{ ref, sessionId, ownFromAt: ownFromAt ?? 0, projectOf, todos, indexesOutput },
  })
  const result = await store.write(
    async (tx) => {
      const record = tx.record
      const hostKey = await record.host(host.name, host.hostname)
      const session = sessionId === null ? null : await record.session(ref.agent, sessionId, hostKey)
      if (session === undefined) return { eventsAdded: 0 }
      const key = incarnationKey(incarnation)
      await record.moveParsed(key, { parsed: state.parsed + parsed.consumed, ownFromAt, carry })
      const malformed = parsed.malformed.length > 0 ? await record.addMalformed(key, parsed.malformed) : 0
      return await applyBytes(tx, prepared, { hostKey, session, incarnation: key, malformed, grewAt: 0 })
    },
    { weight: 'bulk' },
  )
  state.parsed += parsed.consumed
  state.events += result.eventsAdded
  return bytes.subarray(parsed.consumed)
}
