import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { writeTar } from '../server/handlers/record/tar-write'
import { type ExportFile, readExport } from './export-files'

async function archive(files: { path: string; content: Uint8Array }[]): Promise<Uint8Array> {
  const tar = files.map(({ path, content }) => ({
    path,
    size: content.length,
    modifiedAt: 1,
    bytes: (async function* () {
      yield content
    })(),
  }))
  return Buffer.concat(await Array.fromAsync(writeTar(tar)))
}

/** An answer that gives its bytes in pieces of the given sizes, over and over. */
function answer(bytes: Uint8Array, sizes: number[] = [bytes.length]): () => Promise<Response> {
  let at = 0
  let turn = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1)
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
  return async () => new Response(stream)
}

async function readAll(files: AsyncIterable<ExportFile>): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>()
  for await (const { relativePath, bytes } of files) all.set(relativePath, Buffer.concat(await Array.fromAsync(bytes)))
  return all
}

test('files come back byte for byte, however the connection cuts them up', async () => {
  const name = fc.stringMatching(/^[\wéß -]{1,140}$/).filter((text) => text !== '.' && text !== '..')
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ path: name, content: fc.uint8Array({ maxLength: 2_000 }) }), {
        selector: (f) => f.path,
        maxLength: 4,
      }),
      fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
      async (files, sizes) => {
        const read = await readAll(readExport(answer(await archive(files), sizes)))
        expect([...read.keys()]).toEqual(files.map(({ path }) => path))
        for (const { path, content } of files)
          expect(Buffer.compare(read.get(path) ?? Buffer.alloc(0), content)).toBe(0)
      },
    ),
    { numRuns: 100 },
  )
})

test('a file left unread is skipped', async () => {
  const bytes = await archive([
    { path: 'a', content: new Uint8Array(3_000) },
    { path: 'b', content: new Uint8Array([1, 2]) },
  ])
  const seen: string[] = []
  for await (const file of readExport(answer(bytes, [100]))) {
    seen.push(file.relativePath)
    if (file.relativePath === 'b') expect([...Buffer.concat(await Array.fromAsync(file.bytes))]).toEqual([1, 2])
  }
  expect(seen).toEqual(['a', 'b'])
})

test('an archive that ends early is an error, wherever it ends', async () => {
  const whole = await archive([{ path: 'a', content: new Uint8Array(1_000) }])
  for (const end of [0, 100, 512, 700, 1_512, 1_536, 1_600]) {
    await expect(readAll(readExport(answer(whole.slice(0, end))))).rejects.toMatchObject({ code: 'unavailable' })
  }
})

test('a path that would leave the folder is refused', async () => {
  for (const path of ['../x', 'a/../../x', '/etc/passwd', 'a//b', 'C:x', 'a\\b', '.', './a', 'a/']) {
    const bytes = await archive([{ path, content: new Uint8Array(1) }])
    await expect(readAll(readExport(answer(bytes)))).rejects.toMatchObject({ code: 'invalid' })
  }
})

test('bytes that are no archive give an error and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 600, maxLength: 3_000 }), async (bytes) => {
      const thrown = await readAll(readExport(answer(bytes))).then(
        () => null,
        (error: unknown) => error,
      )
      if (thrown !== null) expect(['invalid', 'unavailable']).toContain((thrown as { code: string }).code)
    }),
    { numRuns: 200 },
  )
})
