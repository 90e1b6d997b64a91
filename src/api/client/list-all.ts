/** Every row of a paged list. Ends when the list does; a page may be empty and still not be the last. */
export async function* listAll<Page extends { nextCursor: string | null }, Row>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  rowsOf: (page: Page) => Row[],
): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const page = await fetchPage(cursor)
    yield* rowsOf(page)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
