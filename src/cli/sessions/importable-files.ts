import { basename } from 'node:path'
import type { ExportFile } from '../../api/client'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** Adds to the files of an export the documents from which the agent CLI takes conversations back, where it needs such documents. */
export async function* withImportables(
  files: AsyncIterable<ExportFile>,
  { name, importable }: Pick<AgentHarness, 'name' | 'importable'>,
): AsyncGenerator<ExportFile> {
  const make = await importable?.()
  for await (const file of files) {
    if (make === undefined || !file.relativePath.endsWith('.jsonl')) {
      yield file
      continue
    }
    const bytes = Buffer.concat(await Array.fromAsync(file.bytes))
    yield { ...file, bytes: once(bytes) }
    const document = make(bytes)
    if (document === null) continue
    const relativePath = `${basename(file.relativePath, '.jsonl')}.${name}.json`
    yield { relativePath, size: document.length, bytes: once(document) }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
