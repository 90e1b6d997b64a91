interface Paged {
  nextCursor: string | null
}

/**
 * Every row of a paged list: `listAll(client.tasks.list, { tag }, 'tasks')`. Ends when the list does; a page may be empty and still not be
 * the last.
 *
 * @param key  the field of a page that holds its rows
 */
export async function* listAll<Input, Key extends string, Row>(
  list: (input: Input & { cursor?: string | undefined }) => Promise<Paged & Record<Key, Row[]>>,
  input: Input,
  key: Key,
): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const page = await list({ ...input, cursor })
    yield* page[key]
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
