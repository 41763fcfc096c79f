-- Compare and set of one voucher: adds p_amount to what was accepted, or brings it up to p_cumulative. It is judged under the lock of the
-- session, so the greatest voucher of a race wins, whichever process took it. Guards come first: a freeze that was answered is seen.
-- outcome: accepted, repeated (the same voucher again, or the highest where less was asked for), not_found, not_open, over_voucher,
-- over_deposit, reused (the name was given to another amount), or guard.
CREATE OR REPLACE FUNCTION mpp_accept_voucher(
  p_workspace uuid, p_session uuid, p_at timestamptz, p_id uuid, p_amount bigint, p_cumulative bigint, p_description text, p_request text,
  p_guards jsonb
) RETURNS TABLE (outcome text, status text, accepted bigint, deposited bigint, guard jsonb, voucher jsonb) LANGUAGE plpgsql AS $$
DECLARE
  v_session mpp_session;
  v_voucher mpp_voucher;
  v_guard jsonb;
  v_refusal text;
  v_next bigint;
BEGIN
  FOR v_guard IN SELECT value FROM jsonb_array_elements(p_guards) LOOP
    v_refusal := guard_refusal(p_workspace, v_guard ->> 'kind', (v_guard ->> 'id')::uuid, coalesce((v_guard ->> 'at')::timestamptz, p_at));
    IF v_refusal IS NOT NULL THEN
      RETURN QUERY SELECT 'guard', NULL::text, NULL::bigint, NULL::bigint, v_guard || jsonb_build_object('refusal', v_refusal), NULL::jsonb;
      RETURN;
    END IF;
  END LOOP;
  SELECT * INTO v_session FROM mpp_session s WHERE s.workspace_id = p_workspace AND s.id = p_session FOR NO KEY UPDATE;
  outcome := CASE WHEN v_session.id IS NULL THEN 'not_found' END;
  IF outcome IS NULL AND p_request IS NOT NULL THEN
    SELECT * INTO v_voucher FROM mpp_voucher v
    WHERE v.workspace_id = p_workspace AND v.session_id = p_session AND v.request_id = p_request;
    IF v_voucher.id IS NOT NULL THEN
      outcome := CASE WHEN coalesce(p_amount, p_cumulative) = CASE WHEN p_amount IS NULL THEN v_voucher.cumulative_amount ELSE v_voucher.amount END
        THEN 'repeated' ELSE 'reused' END;
    END IF;
  END IF;
  IF outcome IS NULL THEN
    v_next := coalesce(p_cumulative, v_session.accepted + p_amount);
    outcome := CASE
      WHEN v_session.status <> 'open' OR v_session.expires_at <= p_at THEN 'not_open'
      WHEN v_next > v_session.deposited THEN 'over_deposit'
      WHEN v_next <= v_session.accepted THEN 'repeated'
      WHEN v_next - v_session.accepted > v_session.max_voucher THEN 'over_voucher'
      ELSE 'accepted'
    END;
    IF outcome = 'repeated' THEN
      SELECT * INTO v_voucher FROM mpp_voucher v
      WHERE v.workspace_id = p_workspace AND v.session_id = p_session AND v.sequence = v_session.sequence;
    ELSIF outcome = 'accepted' THEN
      INSERT INTO mpp_voucher (workspace_id, id, session_id, sequence, amount, cumulative_amount, description, request_id, created_at)
      VALUES (p_workspace, p_id, p_session, v_session.sequence + 1, v_next - v_session.accepted, v_next, p_description, p_request, p_at)
      RETURNING * INTO v_voucher;
      UPDATE mpp_session s SET accepted = v_next, sequence = s.sequence + 1, updated_at = p_at
      WHERE s.workspace_id = p_workspace AND s.id = p_session
      RETURNING * INTO v_session;
    END IF;
  END IF;
  RETURN QUERY SELECT outcome, v_session.status::text, v_session.accepted, v_session.deposited, NULL::jsonb,
    CASE WHEN v_voucher.id IS NOT NULL THEN to_jsonb(v_voucher)
      || jsonb_build_object('amount', v_voucher.amount::text, 'cumulative_amount', v_voucher.cumulative_amount::text) END;
END $$;
