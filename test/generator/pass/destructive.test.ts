/** Which ops are destructive: names labelled by hand, words beside the verb, and what wins over names. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { saysRemoval } from "../../../generator/pass/verbs.js";
import { buildProject } from "../../support/generator-host.js";
import { runs } from "../../support/random.js";

interface Shown {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: object;
  readonly properties?: Readonly<Record<string, object>>;
}

/** What the registry says about tools of a server: `read`, `write` or `destructive`, by name. */
async function judged(tools: readonly Shown[]): Promise<Readonly<Record<string, string>>> {
  const listed = tools.map(({ properties = {}, ...one }) => ({ ...one, inputSchema: { type: "object", properties } }));
  const { registry } = await buildProject({
    "toolwright.yaml": "use: []\nsources: [{ mcp: s.json }]\n",
    "s.json": JSON.stringify({ tools: listed }),
  });
  return Object.fromEntries(
    (registry?.tools ?? []).map((one) => [one.tool_name, one.annotations.destructiveHint ? "destructive" : one.kind]),
  );
}

const named = (list: string): readonly Shown[] => list.split(/\s+/).flatMap((name) => (name === "" ? [] : [{ name }]));

const DESTRUCTIVE = `
  terminate_instance empty_trash format_disk overwrite_file uninstall_app revoke_token wipeNetworkSmDevice
  BatchDeleteCatalogObjects bulk_delete_messages messages_deletePermanent delete_user remove_member drop_table
  truncate_table purge_queue destroyCluster erase_device wipe_device reset_password factory_reset kill_process
  cancel_order void_invoice refund_payment close_account suspend_user ban_member block_sender archive_project
  disable_user deactivate_account stop_server shutdown_vm restart_service rollback_release revert_commit
  restore_backup replace_all_rules put_object write_file save_file rotate_secret expire_session invalidate_cache
  clear_cache flush_dns evict_pods drain_node cordon_node unpublish_post unlink_account detach_volume
  disconnect_device unregister_webhook deregister_task unassign_role unsubscribe_all remove_from_cart
  discard_draft forget_device scrub_data redact_text anonymize_user prune_branches vacuum_db shred_document
  decommission_host retire_asset abort_upload reject_request deny_access withdraw_offer release_address
  transfer_ownership execute_sql run_command exec eval_script apply_migration force_push rebase_branch
  merge_contacts squash_commits git_reset git_clean deleteMany delete-index del rm rmdir unlink nuke_project
  recreate_vm reinstall_os rebuild_index reimage_machine swap_slots move_to_trash moveToRecycleAndDelete
  create_or_replace_view update_and_overwrite set_and_reset edit_remove_lines batch_remove_tags
  delete_all_messages removeWebhook clearCart resetCounter terminateEmployee cancelSubscription revokeCertificate
  detach_policy unassign_ticket uninstall_plugin purgeCache dropDatabase truncateLogs eraseCard destroy_session
  frobnicate_widgets zap_all tidy_up sanitize_db dispose obliterate_everything expunge_mailbox unset_default
`;

const SAFE = `
  create_issue add_comment append_row send_email post_message start_job update_user edit_message set_title
  rename_file move_card link_account enable_feature createInvoice addLabels appendBlock sendSms postStatus
  startTimer updateTeam editPage setHostname renameTag moveFile linkDomain enableLock activate_plugin
  assign_issue attach_file claim_domain clone_repo copy_file duplicate_slide enroll_student
  fork_repository invite_member join_channel label_issue like_post mark_as_read mkdir mount_disk notify_team
  open_ticket order_pizza patch_user pin_message publish_event purchase_domain react_to_message record_time
  register_webhook reply_to_thread report_bug request_review reserve_table resolve_thread respond_to_invite
  schedule_meeting share_document sign_contract star_repository submit_form subscribe_topic tag_image
  unarchive_project upload_file vote_poll watch_repo insert_rows new_page generate_report draft_email
  add_user_to_group createPullRequest addReaction sendInvoice updateProfile setReminder renameBranch moveIssue
  link_issues enableAutoRenewal appendText startWorkflow editComment postTweet updateCalendarEvent
  configure_router connect_bank compose_letter embed_text increment_counter install_package
`;

const READS = `
  get_user list_tasks search_orders find_flights fetch_page read_file describe_table show_status view_invoice
  lookup_word count_rows check_balance verify_email validate_schema compare_versions browse_catalog explain_query
  inspect_image analyze_logs summarize_text translate_text calculate_tax estimate_cost preview_invoice
  whoami is_member has_access ls grep_files tail_log download_report
  comment_list label_list trigger_get order_get deploy_app_logs_get geocode_address recommend_movies
  getInvoice listBuckets searchIssues readSheet describeInstance showDiff viewLogs lookupDns countUsers
  findNearest retrieve_document extract_text parse_pdf query_docs measure_distance poll_job aggregate_sales observe_metric
  users_search_by_name getWorkspaceUpdate listPrivateNetworkAddRequests "API-retrieve-a-comment"
`.replaceAll('"', "");

const WRITES_THAT_LOOK_LIKE_READS: readonly Shown[] = [
  ...named("trigger_plaid_fetch force_fetch peek_and_pop ping_webhook trigger_backup_fetch force_scan git_fetch"),
  ...named("peek_then_ack read_and_frob fetch_and_lock trigger_ping check_in_guest run_query force_list"),
  { name: "translate_document", properties: { operation: { type: "string", enum: ["create", "edit"] } } },
  { name: "view_page", properties: { action: { enum: ["show", "delete"] } } },
  { name: "download_usage_api_data", description: "Trigger an export of usage data." },
  { name: "search_feedback", description: "\n\nSends feedback about a search." },
  { name: "download_invoice", properties: { target_path: { type: "string" } } },
];

describe("names labelled by hand", () => {
  test("are 300", () => {
    const all = [DESTRUCTIVE, SAFE, READS].flatMap(named);
    expect(all.length + WRITES_THAT_LOOK_LIKE_READS.length).toBeGreaterThanOrEqual(300);
    expect(new Set(all.map((one) => one.name)).size).toBe(all.length);
  });

  test.each([
    ["destructive ones", DESTRUCTIVE, "destructive"],
    ["those that add or edit", SAFE, "write"],
    ["reads", READS, "read"],
  ])("%s are judged as they are labelled", async (_label, list, label) => {
    const found = await judged(named(list));
    expect(Object.entries(found).filter(([, is]) => is !== label)).toEqual([]);
    expect(Object.keys(found)).toHaveLength(named(list).length);
  });

  test("writes that look like reads", async () => {
    const found = await judged(WRITES_THAT_LOOK_LIKE_READS);
    expect(Object.entries(found).filter(([, is]) => is === "read")).toEqual([]);
  });
});

describe("what is beside the verb", () => {
  test.each<[string, Shown, string]>([
    ["its verb adds", { name: "create_a", description: "Creates a thing." }, "write"],
    ["the description removes", { name: "create_a", description: "Creates or replaces a thing." }, "destructive"],
    ["the second sentence removes", { name: "update_a", description: "Update. All tags are removed." }, "destructive"],
    [
      "the third sentence says more",
      { name: "update_a", description: "Update. Fast. Use delete_a to delete." },
      "write",
    ],
    ["a switch overwrites", { name: "upload_a", properties: { overwrite: { type: "boolean" } } }, "destructive"],
    ["a text is named like one", { name: "upload_a", properties: { delete_after: { type: "string" } } }, "write"],
    ["its server says so", { name: "create_a", annotations: { destructiveHint: true } }, "destructive"],
    ["its server says no", { name: "delete_a", annotations: { destructiveHint: false } }, "write"],
    ["its server says write only", { name: "get_a", annotations: { readOnlyHint: false } }, "destructive"],
  ])("counts where %s", async (_what, tool, is) => expect(await judged([tool])).toEqual({ [tool.name]: is }));
});

test("words of removal are found in every form, and in no other word", () => {
  for (const word of "delete deletes deleted deleting wiped erasing resetting cancelled flushes unsets removal".split(
    " ",
  ))
    expect([word, saysRemoval(word)]).toEqual([word, true]);
  for (const word of "create settings address sets cancan is ed ing redirect deleter".split(" "))
    expect([word, saysRemoval(word)]).toEqual([word, false]);
  fc.assert(
    fc.property(fc.string(), (text) => typeof saysRemoval(text) === "boolean"),
    runs(1000),
  );
});
