/** One world with something of everything. To fill it costs more than most tests, so all that look at the whole of it do so in one file. */
import { afterAll, beforeAll, describe } from 'bun:test'
import { browserOfTests } from '../page/page'
import { type Everything, World } from '../world/world'
import { lookTests } from './pages-looks'
import { hostileTests, worldTests } from './pages-world'

let world: World
let parts: Everything

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  parts = await world.everything()
})
afterAll(() => world?.stop())

describe('the world', () =>
  worldTests(
    () => world,
    () => parts,
  ))
describe('every page', () =>
  lookTests(
    () => world,
    () => parts,
  ))
describe('the world with hostile texts', () => hostileTests(() => world))
