//! What no door lets out: where the user's clones lie.

use serde_json::Value;

/// What stands in place of a directory.
const HIDDEN: &str = "[directory]";

/// Hides the directories that receipts name. What upstream wrote stays as it is: a quotation
/// that was changed is none.
pub fn hide(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(hide),
        Value::Object(fields) => {
            let is_receipt = fields.contains_key("transport") && fields.contains_key("obtained");
            if is_receipt
                && let Some(Value::String(source)) = fields.get_mut("source")
                && !source.contains("://")
            {
                HIDDEN.clone_into(source);
            }
            fields.values_mut().for_each(hide);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn only_the_directories_of_receipts_are_hidden() {
        let receipt = |source: &str| json!({"transport": "git", "source": source, "obtained": 1});
        let mut value = json!({
            "text": "listen on 127.0.0.1, see /home/x",
            "receipts": [receipt("/home/x/clone"), receipt("https://example.org/x.git")],
        });
        super::hide(&mut value);
        assert_eq!(value["text"], "listen on 127.0.0.1, see /home/x");
        assert_eq!(value["receipts"][0]["source"], "[directory]");
        assert_eq!(value["receipts"][1]["source"], "https://example.org/x.git");
    }
}
