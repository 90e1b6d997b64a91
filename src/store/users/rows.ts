import type { UserRow } from '../../domain/user/user-store'
import { columnsOf } from '../sql/columns'

export const USER = columnsOf<UserRow>()('users', { named: { key: 'id' }, kept: {}, without: [] })
