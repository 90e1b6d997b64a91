import type { OperatorToken, TokenRow } from '../../domain/token/token-store'
import { columnsOf } from '../sql/columns'

export const TOKEN = columnsOf<TokenRow>()('tokens', {
  named: { key: 'id', id: 'public_id', agentId: 'agent_public_id', userKey: 'user_id' },
  kept: {},
  without: [],
})

export const OPERATOR_TOKEN = columnsOf<OperatorToken>()('operator_tokens', {
  named: {},
  kept: {},
  without: ['id'],
})
