/** Hand-overs in a database that servers share: which of them wrote one, and whether its machine is still there, makes no difference. */
import type { HandoffBox } from '../../domain/recall/recall'
import type { Store } from '../../domain/store'
import { handoffFiles, isFor, MAX_FILES, newHandoffId } from './handoff-files'

/** @param home  Lodeline's folder: what a former program kept there is brought into the database at the first use */
export function storedHandoffs(store: Store, home: string): HandoffBox {
  let adopting: Promise<void> | undefined
  const adopted = (): Promise<void> => {
    adopting ??= adopt(store, home).catch((error: unknown) => {
      adopting = undefined
      throw error
    })
    return adopting
  }
  return {
    async offered(reader) {
      await adopted()
      return (await store.handoffs.newest(MAX_FILES, 'open')).find((handoff) => isFor(handoff, reader))
    },
    take: async (id, session) => await store.write(async (tx) => await tx.handoffs.take(id, session)),
    async write(content) {
      const handoff = { ...content, id: newHandoffId(), givenTo: null, givenAt: null }
      await store.write(async (tx) => await tx.handoffs.add(handoff))
      return handoff
    },
    async list(limit) {
      await adopted()
      return await store.handoffs.newest(limit)
    },
  }
}

async function adopt(store: Store, home: string): Promise<void> {
  const files = handoffFiles(home)
  for (const handoff of files.all()) {
    await store.write(async (tx) => await tx.handoffs.add(handoff))
    files.remove(handoff)
  }
}
