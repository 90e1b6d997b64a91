import { elementsOf, fieldsOf, type Span } from '../../json-lines/json-spans'
import { isRecord, type JsonRecord, parsedJson } from '../../json-lines/json-value'

/** A value of a document with its place. */
export interface DocumentPart {
  record: JsonRecord
  span: Span
}

/**
 * What a rollout of the first releases holds, in order: `{session: {timestamp, id, instructions}, items: […]}`. Its items have the form of
 * bare lines (`rollout-line.ts`). The CLI wrote the file anew with each item. `null` = its end is missing.
 */
export function documentParts(bytes: Uint8Array): DocumentPart[] | null {
  const document = parsedJson(bytes)
  if (document === undefined) return null
  if (!isRecord(document)) return []
  const fields = fieldsOf(bytes, { from: 0, to: bytes.length })
  const [session, items] = [fields.get('session'), fields.get('items')]
  const spans = items === undefined ? [] : elementsOf(bytes, items)
  return [
    ...partAt(document.session, session),
    ...(Array.isArray(document.items) ? document.items : []).flatMap((item, n) => partAt(item, spans[n])),
  ]
}

/** Whether these bytes are such a document, and no lines. */
export const isDocument = (bytes: Uint8Array): boolean =>
  /^\s*\{\s*"session"\s*:/.test(new TextDecoder().decode(bytes.subarray(0, 100)))

const partAt = (record: unknown, span: Span | undefined): DocumentPart[] =>
  isRecord(record) && span !== undefined ? [{ record, span }] : []
