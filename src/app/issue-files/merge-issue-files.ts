import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../domain/errors'
import type { MergeDecision } from '../../domain/issue/issue-file'
import { decodeFile, encodeFile } from '../../engine/issue-file/file-text'
import { mergeIssueFiles } from '../../engine/issue-file/merge'
import { parseIssueFile } from '../../engine/issue-file/parse'
import { readIssueFile, replaceIssueFile } from './issue-file'

export interface MergedOnDisk {
  /** Where it was written; `null` = nowhere. */
  path: string | null
  text: string
  issueCount: number
  decisions: MergeDecision[]
  /** What is odd in the result: dangling edges, circles, lines that can't be read. */
  notices: string[]
}

/**
 * Merges three versions of the file on disk. A base that is missing or empty means that there is no common ancestor; a missing side
 * is an empty one.
 *
 * @param out  where to write; `null` = nowhere
 * @throws `not_found`  neither side is there
 */
export async function mergeIssueFilesOnDisk(
  { base, ours, theirs }: { base: string; ours: string; theirs: string },
  out: string | null,
): Promise<MergedOnDisk> {
  const [was, mine, other] = [base, ours, theirs].map(textOf)
  if (mine === null && other === null) throw new AppError('not_found', `Neither ${ours} nor ${theirs} exists.`)
  // git hands an empty file as the base when both sides added the file.
  const { text, decisions } = mergeIssueFiles(was || null, mine ?? '', other ?? '')
  if (out !== null) {
    mkdirSync(dirname(out), { recursive: true })
    await replaceIssueFile(out, [encodeFile(text)]).commit()
  }
  const { issues, notices } = parseIssueFile(text, { isBeads: true })
  return { path: out, text, issueCount: issues.length, decisions, notices }
}

function textOf(path: string): string | null {
  const found = readIssueFile(path)
  return found === null ? null : decodeFile(found.bytes)
}
