import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ExportFile } from '../../api/client'
import type { EncryptTo } from '../../util/archive/age-stream'
import { insidePath, type WrittenFile } from './export-files'

export interface ExportArchive {
  /** The file to write; its folder is made. */
  to: string
  isForced: boolean
  encryptTo: EncryptTo
  signal: AbortSignal
}

/**
 * Writes the files of an export to one encrypted archive. Nothing of them is on the disk in another form.
 *
 * @returns the archive, and the files in it with their paths there
 * @throws as `writeExport`
 */
export async function writeExportArchive(
  files: AsyncIterable<ExportFile>,
  { to, isForced, encryptTo, signal }: ExportArchive,
): Promise<{ archive: string; files: WrittenFile[] }> {
  const { writeArchive } = await import('../../app/backup/write-archive')
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const written: WrittenFile[] = []
  await writeArchive({
    to,
    isForced,
    encryptTo,
    signal,
    async *entries() {
      for await (const { relativePath, size, bytes } of files) {
        // Whoever unpacks it writes these names.
        insidePath('/', relativePath)
        written.push({ path: relativePath, bytes: size })
        yield { name: relativePath, size, bytes }
      }
    },
  })
  return { archive: to, files: written }
}
