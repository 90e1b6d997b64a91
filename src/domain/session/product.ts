/** What a session left behind beside its files, as the output of its tools shows. */
export const PRODUCT_KINDS = ['commit', 'pull_request'] as const
export type ProductKind = (typeof PRODUCT_KINDS)[number]

export interface Product {
  kind: ProductKind
  /** A commit's abbreviated hash; the address of a pull or merge request. */
  name: string
  /** A commit's first line; `null` = nothing says one. */
  title: string | null
}

/** Products of one output that are kept. */
const PRODUCT_LIMIT = 50
const TITLE_LIMIT = 200

/** `[main 1a2b3c4] Fix the walk`: what `git commit` prints. */
const COMMIT = /^\[(?:[^\s\]]{1,200}|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,1000})$/
/** Alone in its line: what `gh pr create` and `glab mr create` print. Where it stands among words, it was only spoken of. */
export const REQUEST_ADDRESS = /^https:\/\/[\w.-]{1,200}\/[\w./-]{1,300}\/(?:pull|merge_requests)\/\d{1,9}$/

/** Commits and pull requests that a tool's output says were made, each once. */
export function productsIn(output: string): Product[] {
  if (!output.includes('] ') && !output.includes('https://')) return []
  const found = new Map<string, Product>()
  for (const line of output.split('\n')) {
    if (line.length > 1_400) continue
    const [, hash, title] = COMMIT.exec(line) ?? []
    if (hash !== undefined && title !== undefined)
      found.set(hash, { kind: 'commit', name: hash, title: title.slice(0, TITLE_LIMIT).toWellFormed().trim() })
    else if (REQUEST_ADDRESS.test(line.trim()))
      found.set(line.trim(), { kind: 'pull_request', name: line.trim(), title: null })
    if (found.size >= PRODUCT_LIMIT) break
  }
  return [...found.values()]
}
