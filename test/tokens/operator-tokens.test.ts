import { expect, test } from 'bun:test'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { createUserService } from '../../src/engine/users/user-service'
import { sha256, sha256Hex } from '../../src/util/crypto'
import { onEachDatabase } from '../store-contract/databases'
import { OPERATOR } from '../tasks/crew'

onEachDatabase((database) => {
  /** An installation of its own, with a token. */
  const installation = () => ({ home: crypto.randomUUID(), token: crypto.randomUUID() })
  const parts = () => {
    const { store } = database
    const tokens = createTokenService({ store })
    const isGood = (token: string) => store.tokens.isOperatorToken(sha256(token))
    const know = ({ home, token }: { home: string; token: string }) => tokens.knowOperator(home, sha256Hex(token))
    const users = createUserService({ store })
    const enter = async () => (await users.enter((await users.makeCode(OPERATOR)).code, null)).secret
    const isIn = async (secret: string) => (await store.tokens.byToken(sha256(secret)))?.revokedAt === null
    return { store, tokens, users, isGood, know, enter, isIn }
  }

  test('the token of each installation that made itself known counts, however often it does', async () => {
    const { isGood, know } = parts()
    const [one, other] = [installation(), installation()]
    expect(await isGood(one.token)).toBe(false)
    for (let n = 0; n < 2; n++) expect([await know(one), await know(other)]).toEqual([true, true])
    expect([await isGood(one.token), await isGood(other.token)]).toEqual([true, true])
    // A folder that was copied has the same token.
    expect(await know({ home: crypto.randomUUID(), token: one.token })).toBe(true)
  })

  test('another token of one installation ends its former one and all logins, and a former one never comes back', async () => {
    const { isGood, know, enter, isIn } = parts()
    const [one, other] = [installation(), installation()]
    await know(one)
    await know(other)
    const login = await enter()
    expect(await isIn(login)).toBe(true)
    const next = { ...one, token: crypto.randomUUID() }
    expect(await know(next)).toBe(true)
    expect([await isGood(one.token), await isGood(next.token), await isGood(other.token)]).toEqual([false, true, true])
    expect([await know(one), await isIn(login)]).toEqual([false, false])
  })

  test('a renewed token ends those of all installations, and no token, login or code of before counts', async () => {
    const { isGood, know, enter, isIn, tokens, users } = parts()
    const [one, other] = [installation(), installation()]
    await know(one)
    await know(other)
    const login = await enter()
    const { code } = await users.makeCode(OPERATOR)
    const next = crypto.randomUUID()
    await tokens.renewOperator(one.home, sha256Hex(next))
    expect([await isGood(one.token), await isGood(other.token), await isGood(next)]).toEqual([false, false, true])
    expect([await know(other), await isIn(login)]).toEqual([false, false])
    await expect(users.enter(code, null)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('logins of the operator take no room of tokens, and what ended is removed', async () => {
    const { store, users, enter } = parts()
    const count = () => store.write((tx) => tx.tokens.countOpen())
    const before = await count()
    const login = await enter()
    await users.makeCode(OPERATOR)
    expect(await count()).toBe(before)
    await users.leave(login, null)
    await new Promise((resolve) => setTimeout(resolve, 2))
    await users.makeCode(OPERATOR)
    expect(await store.tokens.byToken(sha256(login))).toBeUndefined()
  })
})
