import { expect, test } from 'bun:test'
import { dumpPath, dumpSchema } from './dump-schema'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`the checked-in schema is what the migrations make: ${kind}`, async () => {
    expect(await dumpSchema(kind)).toBe(await Bun.file(dumpPath(kind)).text())
  })
}
