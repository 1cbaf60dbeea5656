# SPDX-License-Identifier: Apache-2.0
# A program on ActiveRecord that writes the log of Rails: rails_app.rb FOLDER.
require "active_record"
require "logger"

folder = ARGV[0]
ActiveRecord::Base.logger = Logger.new(folder + "/own.log")
ActiveRecord::Base.verbose_query_logs = true
ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: folder + "/app.db")
ActiveRecord::Schema.define do
  create_table(:authors) { |table| table.string :name }
  create_table(:books) { |table| table.string :title; table.integer :author_id }
end

class Author < ActiveRecord::Base; end

class Book < ActiveRecord::Base
  belongs_to :author
end

authors = 12.times.map { |i| Author.create!(name: "a#{i} 'quoted'; -- no comment") }
Book.transaction { 40.times { |i| Book.create!(title: "b#{i}", author: authors[i % 12]) } }
Book.insert_all(30.times.map { |i| { title: "c#{i}", author_id: authors[0].id } })
Book.all.each { |book| book.author.name }
Book.includes(:author).each { |book| book.author.name }
Book.eager_load(:author).first(5)
Book.where(title: "b1").update_all(title: "z")
Book.find_by(title: "b2").destroy
# Two of them are answered by the cache, and are no runs.
Author.cache { 3.times { Author.find(1) } }
raise "books" unless Book.count == 69
