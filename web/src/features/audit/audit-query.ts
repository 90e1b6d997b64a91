import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { MAX_PAGE_LIMIT } from '#api/contract/protocol'
import { client } from '../../lib/api'
import { saveFile } from '../../lib/save-file'
import { type AuditSearch, auditInput } from './audit-search'
import { type AuditLine, CSV_HEAD, csvLine, jsonLine } from './audit-words'

/** Lines per page of the list. */
const PAGE_LINES = 100
/** Milliseconds between two looks for new lines: the feed does not report them. */
const LOOK_MS = 10_000

/** The lines of a search, newest first. */
export const useAuditLines = (search: AuditSearch) =>
  useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam: cursor, signal }) =>
      client.audit.list(
        { ...auditInput(search, Date.now()), limit: PAGE_LINES, ...(cursor !== null && { cursor }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A list that a person scrolled far is not read anew behind their back.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LOOK_MS),
    staleTime: 0,
    placeholderData: (previous) => previous,
  })

/** Whether no line was changed or is missing. The server reads the whole log. */
export const useAuditCheck = () =>
  useQuery({
    queryKey: ['audit-check'],
    queryFn: ({ signal }) => client.audit.verify({ signal }),
    staleTime: 0,
  })

/** Formats of a download. */
export const FORMATS = {
  jsonl: { name: 'JSON lines', type: 'application/jsonl', head: '', line: jsonLine },
  csv: { name: 'CSV', type: 'text/csv', head: CSV_HEAD, line: csvLine },
} as const satisfies Record<string, { name: string; type: string; head: string; line(line: AuditLine): string }>
export type Format = keyof typeof FORMATS

/** Reads all lines of a search and gives them to the person as a file, newest first. */
export async function downloadLines(search: AuditSearch, format: Format): Promise<void> {
  const { type, head, line } = FORMATS[format]
  const input = auditInput(search, Date.now())
  const parts: string[] = [head]
  let cursor: string | null = null
  do {
    const page: { lines: AuditLine[]; nextCursor: string | null } = await client.audit.list({
      ...input,
      limit: MAX_PAGE_LIMIT,
      ...(cursor !== null && { cursor }),
    })
    for (const each of page.lines) parts.push(line(each))
    cursor = page.nextCursor
  } while (cursor !== null)
  saveFile(`lodeline-audit.${format}`, parts, type)
}
