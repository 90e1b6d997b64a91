import { expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import { SHARE_LIMITS, SHARE_SPAN_MS } from '../../src/domain/token/share'
import { tokenState } from '../../src/domain/token/token-store'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR, refused } from '../tasks/crew'

onEachDatabase((database) => {
  test('a link expires by itself, goes from the list a month later, and is no token', async () => {
    const { store } = database
    const crew = new Crew(store)
    const tokens = createTokenService({ store, now: () => crew.now })
    const part = { sessionId: sessionId(crypto.randomUUID()), from: 2, until: 5 }
    const { share, secret } = await tokens.share(OPERATOR, part)
    expect(share).toMatchObject({ ...part, state: 'active' })
    expect(Date.parse(share.expiresAt) - crew.now).toBe(SHARE_SPAN_MS.default)
    const row = await store.tokens.byToken(new Bun.CryptoHasher('sha256').update(secret).digest())
    expect(row).toMatchObject({ purpose: 'share', sharedSession: part.sessionId, sharedFrom: 2, sharedUntil: 5 })
    expect(JSON.stringify(row)).not.toContain(secret)
    expect((await store.tokens.list(crew.now)).map(({ id }) => id)).not.toContain(share.id)
    expect((await refused(tokens.revoke(OPERATOR, share.id))).code).toBe('not_found')
    for (const expiresInMs of [SHARE_SPAN_MS.least - 1, SHARE_SPAN_MS.most + 1])
      expect((await refused(tokens.share(OPERATOR, { ...part, expiresInMs }))).code).toBe('invalid')

    crew.now += SHARE_SPAN_MS.default
    expect(row && tokenState(row, crew.now)).toBe('expired')
    const listed = async () => (await store.tokens.shares(crew.now)).find(({ id }) => id === share.id)?.state
    expect(await listed()).toBe('expired')
    crew.now += SHARE_LIMITS.keptMs + 1
    await tokens.share(OPERATOR, part)
    expect(await listed()).toBeUndefined()
  })
})
