/** The path of the thing that a pasted ID names; `null` if the text is no ID. IDs are those of the CLI (`t-…`, `i-…`, `a-…`, UUIDs, `prefix-…`). */
export function placeOfId(text: string): string | null {
  const id = text.trim()
  if (/^t-[0-9a-z]{4,}$/.test(id)) return `/tasks/${id}`
  if (/^i-[0-9a-z]{8,}$/.test(id)) return `/?request=${id}`
  if (/^a-[0-9a-z]{8,}$/.test(id)) return `/tasks?agent=${id}`
  if (/^[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$/i.test(id)) return `/sessions/${id.toLowerCase()}`
  if (/^[a-z][a-z0-9_]*(-[a-z0-9_]+)*-[0-9a-z]{2,}(\.\d+)*$/i.test(id)) return `/issues/${encodeURIComponent(id)}`
  return null
}
